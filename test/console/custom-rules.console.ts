/** A custom rule from an empty editor to shadow, replay and applied. */
import { expect, it } from 'vitest'
import { newOrder } from '../support/orders.ts'
import { expectAccessible, expectUsable, type Organization, useConsole } from './harness.ts'

const harness = useConsole()

type Scored = { order: { id: string }; risk: { risk_score: number; flagged_for_review: boolean } }

const gift = {
  quantity: 1,
  unit_price_cents: 5000,
  total_price_cents: 5000,
  item_category: 'gift_card',
}

async function buyGiftCard({ keys }: Organization): Promise<Scored> {
  const body = newOrder({ amount_cents: 5000, items: [gift] })
  const request = { method: 'POST', path: '/v1/orders', key: keys.live_secret, body } as const
  return (await harness().call<Scored>(request)).body.content
}

it('a rule goes from an empty editor to shadow, replay and applied', async () => {
  const shop = await harness().createOrganization()
  await buyGiftCard(shop)
  const page = await harness().open(shop.owner, shop.org_id, '/rules/custom')
  await page.getByText('No rules yet').waitFor()
  await expectUsable(page)

  // The editor completes names of facts and shows the place of a mistake.
  await page.getByRole('button', { name: 'New rule…' }).click()
  const editor = page.getByRole('dialog', { name: 'New rule' })
  await editor.getByLabel('Name').fill('Gift cards')
  const when = editor.getByLabel('When')
  await when.fill('order.is_gu')
  await editor.getByRole('button', { name: /^order\.is_guest/ }).click()
  expect(await when.inputValue()).toBe('order.is_guest')
  await when.fill('order.is_gast && order.amount_cents > 0')
  await editor.getByText('There is no fact "is_gast" here, at character 7').waitFor()
  expect(await editor.locator('mark').textContent()).toBe('is_gast')
  await expectAccessible(page)
  await editor.getByRole('button', { name: 'Keep in draft' }).click()
  await editor.getByText('There is no fact "is_gast" here', { exact: true }).waitFor()
  await when.fill('order.is_guest && order.items.exists(i, i.category == "gift_card")')
  await editor.getByLabel('Points').fill('60')
  await editor.getByRole('button', { name: 'Keep in draft' }).click()
  await editor.waitFor({ state: 'hidden' })
  await page.getByRole('row', { name: /Gift cards added/ }).waitFor()
  await expectUsable(page)

  // Applied in shadow after a second confirmation, because there is no replay.
  await page.getByRole('button', { name: 'Apply…' }).click()
  const apply = page.getByRole('dialog', { name: 'Apply as version 1' })
  await apply.getByLabel('Apply without a replay').check()
  await apply.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByText('Version 1 is now active').first().waitFor()
  const quiet = await buyGiftCard(shop)
  expect(quiet.risk.risk_score).toBe(0)
  await page.goto(`${harness().origin}/console/o/${shop.org_id}/orders/${quiet.order.id}`)
  await page.getByText('Rules in shadow').waitFor()
  await page.getByText(/“Gift cards” matches, in shadow: the score would have gone/).waitFor()
  await page.goto(`${harness().origin}/console/o/${shop.org_id}/rules/custom`)
  await page.getByText('1 in shadow').waitFor()

  // Switched on, replayed over the month, and applied from the replay.
  await page.getByRole('button', { name: 'Edit Gift cards' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rule Gift cards' })
  await dialog.getByLabel('State').selectOption('on')
  await dialog.getByRole('button', { name: 'Keep in draft' }).click()
  await page.getByRole('button', { name: 'Start replay', exact: true }).click()
  await page.waitForURL(/\/rules\/replays\/[-0-9a-f]{36}$/)
  await page.getByRole('heading', { name: 'Newly flagged: 2' }).waitFor()
  await page.getByRole('row', { name: /Gift cards changed/ }).waitFor()
  await expectUsable(page)
  await page.getByRole('button', { name: 'Apply…' }).click()
  const confirm = page.getByRole('dialog', { name: 'Apply as version 2' })
  await confirm.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByText('Version 2 is now active').first().waitFor()
  const caught = await buyGiftCard(shop)
  expect(caught.risk).toMatchObject({ risk_score: 60, flagged_for_review: true })
  await page.goto(`${harness().origin}/console/o/${shop.org_id}/orders/${caught.order.id}`)
  await page.getByText('The rule “Gift cards” matches. Score 0 → 60.').waitFor()
})

it('a rule for checks starts with a template, and its replay shows checks', async () => {
  const shop = await harness().createOrganization()
  await harness().call({
    method: 'POST',
    path: '/v1/check',
    key: shop.keys.live_secret,
    body: { phone: '+12025550143', event_id: 'signup-1' },
  })
  const page = await harness().open(shop.owner, shop.org_id, '/rules/custom')
  await page.getByLabel('Start with a template').selectOption('Several people on one device')
  const editor = page.getByRole('dialog', { name: 'Rule Several people on one device' })
  expect(await editor.getByLabel('Applies to').inputValue()).toBe('check')
  // Facts and signals follow from what the rule applies to.
  await editor.getByLabel('Applies to').selectOption('cashier actions')
  await editor.getByText('There is no fact "check"').waitFor()
  expect(await editor.getByLabel('Signal').inputValue()).toBe('by_action')
  await expectAccessible(page)
  await editor.getByLabel('Applies to').selectOption('checks')
  await editor.getByLabel('When').fill('check.has_phone')
  await editor.getByLabel('Points').fill('60')
  await editor.getByLabel('State').selectOption('on')
  await editor.getByRole('button', { name: 'Keep in draft' }).click()
  await page.getByRole('row', { name: /on Several people on one device.*checks/ }).waitFor()
  await expectUsable(page)
  await page.getByRole('button', { name: 'Start replay', exact: true }).click()
  await page.waitForURL(/\/rules\/replays\/[-0-9a-f]{36}$/)
  await page.getByRole('heading', { name: 'Checks: newly flagged: 1' }).waitFor()
  await page.getByRole('link', { name: 'signup-1' }).waitFor()
  await page.getByText(/there was no warm-up/).waitFor()
  await expectUsable(page)
})
