/** The rules lab: drafts, replays, applying and rolling back. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { storeDecidedOrders } from '../support/decided-orders.ts'
import { newOrder } from '../support/orders.ts'
import {
  expectAccessible,
  expectFits,
  expectUsable,
  HOSTILE,
  type Organization,
  useConsole,
} from './harness.ts'

const harness = useConsole()

const BERLIN = { location_latitude: 52.52, location_longitude: 13.405 }
const TOKYO = { location_latitude: 35.68, location_longitude: 139.69 }

type Scored = { order: { id: string }; risk: { risk_score: number; flagged_for_review: boolean } }

async function send({ keys }: Organization, who: string, place: object): Promise<Scored> {
  const body = newOrder({ external_id: who, ...place })
  const path = '/v1/orders'
  const answer = await harness().call<Scored>({ method: 'POST', path, key: keys.live_secret, body })
  expect(answer.status).toBe(200)
  return answer.body.content
}

/** Three customers order in Berlin and immediately afterwards in Tokyo. One of these orders is fraud. */
async function createTravelers(): Promise<{ shop: Organization; flagged: Scored[] }> {
  const shop = await harness().createOrganization()
  const flagged: Scored[] = []
  for (const who of ['ann', 'bob', 'cem']) {
    await send(shop, who, BERLIN)
    flagged.push(await send(shop, who, TOKYO))
  }
  expect(flagged.map(({ risk }) => risk.flagged_for_review)).toEqual([true, true, true])
  const decide = async (index: number, decision: 'confirmed_fraud' | 'legitimate') => {
    const owner = { org_id: shop.org_id, mode: 'live' as const }
    const name = flagged[index]?.order.id ?? ''
    await harness().services.reviews.decide(name, owner, { decision, by: 'somebody' })
  }
  await decide(0, 'confirmed_fraud')
  await decide(1, 'legitimate')
  return { shop, flagged }
}

const setWeight = async (page: Page, value: string) => {
  await page.getByRole('textbox', { name: 'Location anomaly' }).fill(value)
}
const stat = (page: Page, label: string) => page.locator('.stat', { hasText: label })

describe('the rules lab', () => {
  it('brings a draft from the slider to the next order and back', async () => {
    const { shop } = await createTravelers()
    const page = await harness().open(shop.owner, shop.org_id, '/rules')
    await page.getByText('No changes yet').waitFor()
    await expectUsable(page)
    await setWeight(page, '0')
    await page.getByRole('row', { name: /Location anomaly/ }).waitFor()
    await expectUsable(page)
    // The draft survives a reload.
    await page.reload()
    await page.getByRole('button', { name: 'Start replay', exact: true }).click()
    await page.waitForURL(/\/rules\/replays\/[-0-9a-f]{36}$/)
    await stat(page, 'Original flag rate').getByText('50%').waitFor()
    await stat(page, 'Flag rate with draft').getByText('0%').waitFor()
    await stat(page, 'Frauds no longer flagged').getByText('1', { exact: true }).waitFor()
    await stat(page, 'Legitimate orders flagged').getByText('1 → 0').waitFor()
    await page.getByRole('heading', { name: 'No longer flagged: 3' }).waitFor()
    await expectUsable(page)

    await page.getByRole('button', { name: 'Apply…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Apply as version 1' })
    await dialog.getByRole('row', { name: /Location anomaly 0\.8 0/ }).waitFor()
    await dialog.getByLabel('Note').fill('Our customers travel')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('Version 1 is now active').first().waitFor()
    await page.getByText('Version 1 has these rules and is active.').waitFor()
    await send(shop, 'dan', BERLIN)
    expect((await send(shop, 'dan', TOKYO)).risk.flagged_for_review).toBe(false)
    const entries = await harness()
      .stores.db.selectFrom('audit_log')
      .select(['action', 'target'])
      .where('org_id', '=', shop.org_id)
      .where('action', 'like', 'rules.%')
      .execute()
    expect(entries).toEqual([{ action: 'rules.applied', target: 'order rules, live, version 1' }])

    await page.goto(`${harness().origin}/console/o/${shop.org_id}/rules/versions`)
    await page.getByRole('cell', { name: '1 active' }).waitFor()
    await page.getByText('Our customers travel').waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Roll back to the defaults' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click()
    await page.getByRole('cell', { name: '2 active' }).waitFor()
    await page.getByText('Rolled back to the defaults').waitFor()
    await send(shop, 'eve', BERLIN)
    expect((await send(shop, 'eve', TOKYO)).risk.flagged_for_review).toBe(true)
  })

  it('shows learned weights next to the shipped ones, and applies them', async () => {
    const shop = await harness().createOrganization()
    const owner = { org_id: shop.org_id, mode: 'live' as const }
    await storeDecidedOrders(harness().stores.db, owner)
    await harness().services.rules_learner.learn(owner)
    const page = await harness().open(shop.owner, shop.org_id, '/rules/learned')
    await page.getByText('The learned weights are better than the active ones.').waitFor()
    await page.getByRole('row', { name: /Location 0\.8 0\.8 0\.\d+/ }).waitFor()
    await page.getByText('A trial learned from the earlier orders only.').waitFor()
    await page.getByRole('heading', { name: 'How often a score was fraud' }).waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Apply…', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Apply as version 1' })
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('Version 1 is now active').first().waitFor()
    await page.getByRole('button', { name: 'Active', exact: true }).waitFor()
  })

  it('shows the progress of a replay and cancels it', async () => {
    const { shop } = await createTravelers()
    const { db } = harness().stores
    const page = await harness().open(shop.owner, shop.org_id, '/rules')
    const { rules_replays } = harness().services
    const month = { from: new Date('2026-01-01'), to: new Date('2030-01-01') }
    const { parameters } = await harness().services.order_rules.active({
      org_id: shop.org_id,
      mode: 'live',
    })
    const owner = { org_id: shop.org_id, mode: 'live' as const }
    const replay = await rules_replays.start(owner, { parameters, ...month, by: 'somebody' })
    // Looks like a replay that another process is running.
    await db
      .updateTable('rules_replays')
      .set({
        state: 'running',
        result: null,
        finished_at: null,
        orders_read: 1234,
        orders_total: 5000,
        read_until: new Date('2026-02-03T12:00:00Z'),
        leased_until: new Date('2100-01-01'),
      })
      .where('org_id', '=', shop.org_id)
      .execute()
    await page.goto(`${harness().origin}/console/o/${shop.org_id}/rules/replays/${replay?.id}`)
    await page.getByText('1,234 of 5,000 orders, up to 3 Feb 2026').waitFor()
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('1234')
    await expectUsable(page)
    await page.getByRole('button', { name: 'Cancel replay' }).click()
    await page.getByText('This replay was canceled').waitFor()
    await page.getByRole('link', { name: 'Back to Replays' }).click()
    await page.getByRole('cell', { name: 'cancelled' }).waitFor()
    await expectUsable(page)
  })

  it('keeps drafts and replays of test orders separate from those of live orders', async () => {
    const { shop } = await createTravelers()
    const page = await harness().open(shop.owner, shop.org_id, '/rules')
    const switchTo = async (name: string) => {
      await page.getByLabel('Mode', { exact: true }).selectOption({ label: name })
      await page
        .getByText(`The defaults are active for ${name.toLowerCase().replace(' data', '')} orders`)
        .waitFor()
    }
    await page.getByText('No changes yet').waitFor()
    await switchTo('Test data')
    await setWeight(page, '0.11')
    await page.getByRole('row', { name: /Location anomaly/ }).waitFor()
    await switchTo('Live data')
    await page.getByText('No changes yet').waitFor()
    await setWeight(page, '0.22')
    await page.getByRole('button', { name: 'Start replay', exact: true }).click()
    await stat(page, 'Original flag rate').waitFor()
    await page.getByRole('button', { name: 'Apply…' }).waitFor()
    await page.goto(`${page.url()}?mode=test`)
    await page.getByText('This replay used live orders.').waitFor()
    expect(await page.getByRole('button', { name: 'Apply…' }).count()).toBe(0)
    await expectAccessible(page)
    await page.goto(`${harness().origin}/console/o/${shop.org_id}/rules?mode=test`)
    await page.getByRole('row', { name: /Location anomaly.*0\.11/ }).waitFor()
  })

  it('lets members draft and replay, but not apply', async () => {
    const { shop } = await createTravelers()
    const page = await harness().open(await shop.join('member'), shop.org_id, '/rules')
    await setWeight(page, '0.1')
    await page.getByText('Only owners and admins can apply rules.').waitFor()
    expect(await page.getByRole('button', { name: 'Apply…' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Start replay', exact: true }).click()
    await stat(page, 'Original flag rate').waitFor()
    expect(await page.getByRole('button', { name: 'Apply…' }).isDisabled()).toBe(true)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.goto(`${harness().origin}/console/o/${shop.org_id}/rules/versions`)
    await page.getByText('Only owners and admins can apply rules.').waitFor()
  })

  it('shows an error for an invalid number and resets it', async () => {
    const { page } = await harness().openNew('/rules?section=places')
    const field = page.getByRole('textbox', { name: 'Far from' })
    await field.fill('far')
    await page.getByText('Enter a number.').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: 'Reset Far from' }).click()
    expect(await field.inputValue()).toBe('200')
    await page.getByRole('slider', { name: 'Far from, slider' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await field.inputValue()).toBe('210')
    await page.getByRole('textbox', { name: 'Fast from' }).fill('1500')
    await page.getByRole('button', { name: 'Start replay', exact: true }).click()
    await page.getByText('"places.impossible_kmh" must be more than').first().waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('No changes yet').waitFor()
  })

  it('does not apply over a version that someone else applied in the meantime', async () => {
    const { page, ...shop } = await harness().openNew('/rules')
    await setWeight(page, '0.1')
    const { order_rules } = harness().services
    const owner = { org_id: shop.org_id, mode: 'live' as const }
    const { parameters } = await order_rules.active(owner)
    const weights = { ...parameters.weights, pattern: 0.3 }
    const by = { base_version: 0, note: null, by: 'cli' }
    await order_rules.apply(owner, { ...parameters, weights }, by)
    await page.getByRole('button', { name: 'Apply…' }).click()
    const first = page.getByRole('dialog', { name: 'Apply as version 1' })
    const applyFirst = first.getByRole('button', { name: 'Apply', exact: true })
    // No one has seen what the draft changes.
    expect(await applyFirst.isDisabled()).toBe(true)
    await first.getByLabel('Apply without a replay').check()
    await applyFirst.click()
    await page.getByText('Version 1 is now active').first().waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Apply…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Apply as version 2' })
    await dialog.getByLabel('Apply without a replay').check()
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('Version 2 is now active').first().waitFor()
    const { overrides } = await order_rules.show(owner)
    expect(overrides).toEqual({ weights: { location_anomaly: 0.1, pattern: 0.3 } })
  })

  it('shows hostile notes and order IDs as text', async () => {
    const shop = await harness().createOrganization()
    const owner = { org_id: shop.org_id, mode: 'live' as const }
    const { order_rules, orders } = harness().services
    const { parameters } = await order_rules.active(owner)
    for (const [index, note] of HOSTILE.entries()) {
      const weights = { ...parameters.weights, pattern: 0.1 * (index + 1) }
      const by = { base_version: index, note, by: note }
      await order_rules.apply(owner, { ...parameters, weights }, by)
      await orders.score(owner, {
        external_order_id: `${index} ${note}`,
        external_id: `who-${index}`,
        amount_cents: 100,
        ...BERLIN,
      })
      await orders.score(owner, {
        external_order_id: note,
        external_id: `who-${index}`,
        amount_cents: 100,
        ...TOKYO,
      })
    }
    const page = await harness().open(shop.owner, shop.org_id, '/rules/versions')
    for (const text of HOSTILE) await page.getByText(text).first().waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    await expectFits(page)
    await page.goto(`${harness().origin}/console/o/${shop.org_id}/rules`)
    await setWeight(page, '0')
    await page.getByRole('button', { name: 'Start replay', exact: true }).click()
    for (const text of HOSTILE) await page.getByRole('link', { name: text }).first().waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    await expectFits(page)
  })
})
