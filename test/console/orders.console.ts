/** Orders: lists, the explanation of a score, decisions and profiles. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Body, newOrder, useOrders } from '../support/orders.ts'
import { travelerOrders } from '../support/traveler.ts'
import { expectUsable, HOSTILE, type Organization, useConsole } from './harness.ts'

const harness = useConsole()
const { order, risks } = useOrders(harness)

async function submit({ keys }: Organization, body: Body): Promise<string> {
  const answer = await order(keys.test_secret, body)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.content.order.id
}

async function createCase(shop: Organization): Promise<string> {
  const { past, far } = travelerOrders(new Date())
  await risks(shop.keys.test_secret, past)
  return await submit(shop, far)
}

/** The section below a heading. */
const section = (page: Page, name: string) =>
  page.locator('section', { has: page.getByRole('heading', { level: 2, name, exact: true }) })

describe('an order', () => {
  it('is found and explains its score in words and charts', async () => {
    const shop = await harness().createOrganization()
    await createCase(shop)
    const page = await harness().open(shop.owner, shop.org_id, '/orders?mode=test')
    await page.getByLabel('Score').selectOption('50')
    await page.waitForURL(/min_score=50/)
    await page.getByRole('link', { name: 'far away' }).click()
    await page.getByRole('heading', { level: 1, name: 'Order far away' }).waitFor()
    const why = section(page, 'Why this score')
    await why.getByText(/km from the previous place, .* faster than anyone travels/).waitFor()
    await why.getByText('location anomaly').waitFor()
    await page.getByRole('img', { name: 'Map of this order' }).waitFor()
    await page.locator('svg path title', { hasText: 'Japan' }).waitFor({ state: 'attached' })
    await page.getByText(/8,?9\d\d km from the previous order, 1 h apart/).waitFor()
    const usual = section(page, 'Usual behavior of the profile')
    await usual.getByRole('img', { name: /Usually .* This order: €900.00/ }).waitFor()
    await usual.getByRole('img', { name: /Most orders at .* This order at/ }).waitFor()
    await usual.getByText('this order, new for the profile').waitFor()
    await section(page, 'Items').getByText('Items: €900.00. Order: €900.00.').waitFor()
    await expectUsable(page)
    await section(page, 'Profile').getByRole('link', { name: 'ann' }).click()
    await page.getByRole('heading', { level: 1, name: 'Profile ann' }).waitFor()
    await page.getByRole('img', { name: 'Map of the usual areas of the profile' }).waitFor()
    expect(await section(page, 'Orders').getByRole('row').count()).toBe(42)
    await expectUsable(page)
  })

  it('leads to its cashier, its refunds and the check of its device', async () => {
    const shop = await harness().createOrganization()
    const key = shop.keys.test_secret
    const device = { fingerprint_hash: 'farm' }
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const body = { email: `${name}@gmail.com`, device }
      await harness().call({ method: 'POST', path: '/v1/check', key, body })
    }
    const id = await submit(
      shop,
      newOrder({
        external_order_id: 'sold',
        external_id: 'ann',
        fingerprint_hash: 'farm',
        cashier_external_id: 'cashier-7',
      }),
    )
    const body = {
      cashier_external_id: 'cashier-7',
      action_type: 'refund',
      order_external_id: 'sold',
      amount_cents: 4990,
      reason: 'Wrong item',
    }
    const path = '/v1/cashier/actions'
    expect(await harness().call({ method: 'POST', path, key, body })).toMatchObject({ status: 200 })
    const page = await harness().open(shop.owner, shop.org_id, `/orders/${id}?mode=test`)
    await section(page, 'Cashier actions').getByText('Wrong item').waitFor()
    const cashier = section(page, 'Order details').getByRole('link', { name: 'cashier-7' })
    expect(await cashier.getAttribute('href')).toMatch(/\/cashiers\/[0-9a-f-]{36}\?mode=test$/)
    await expectUsable(page)
    await section(page, 'Device').getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: /@gmail.com/ }).waitFor()
    await page.getByText('different people used this device').waitFor()
  })

  it('is decided by a member, who can change the decision later', async () => {
    const shop = await harness().createOrganization()
    const id = await createCase(shop)
    const member = await shop.join('member')
    const page = await harness().open(member, shop.org_id, `/orders/${id}?mode=test`)
    const decision = section(page, 'Decision')
    await decision.getByText('in review').waitFor()
    await decision.getByLabel('Note').fill('Called: she is in Berlin')
    await decision.getByRole('button', { name: 'Confirm fraud' }).click()
    await page.getByText('Marked as fraud').waitFor()
    await decision.getByText('Called: she is in Berlin').waitFor()
    await decision.getByText(member.email).waitFor()
    await decision.getByRole('button', { name: 'Legitimate' }).click()
    await decision.getByText(member.email).nth(1).waitFor()
    expect(await decision.getByRole('button', { name: 'Legitimate' }).isDisabled()).toBe(true)
    await page.goto(
      `${harness().origin}/console/o/${shop.org_id}/orders?mode=test&decision=legitimate`,
    )
    await page.getByRole('link', { name: 'far away' }).waitFor()
  })

  it('of another organization is not found', async () => {
    const [mine, other] = await harness().createTwoOrganizations()
    const id = await submit(other, newOrder())
    const page = await harness().open(mine.owner, mine.org_id, `/orders/${id}?mode=test`)
    await page.getByText('Not found').waitFor()
  })

  it('shows hostile texts as text, also in lists and on its profile', async () => {
    const shop = await harness().createOrganization()
    const { owner, org_id } = shop
    for (const text of HOSTILE) {
      const id = await submit(shop, hostileOrder(text))
      const page = await harness().open(owner, org_id, `/orders/${id}?mode=test`)
      await page.getByRole('heading', { level: 1, name: `Order ${text}` }).waitFor()
      await section(page, 'Items').getByText(text).first().waitFor()
      await section(page, 'Order details').getByText(text).first().waitFor()
      await section(page, 'Profile').getByRole('link', { name: text }).click()
      await page.getByRole('heading', { level: 1, name: `Profile ${text}` }).waitFor()
      await page.getByRole('link', { name: 'Search these orders' }).click()
      await page.getByRole('link', { name: text }).first().waitFor()
      expect(await page.locator('main img, main script').count()).toBe(0)
    }
    const page = await harness().open(owner, org_id, '/orders/profiles?mode=test')
    for (const text of HOSTILE) await page.getByRole('link', { name: text }).waitFor()
    await expectUsable(page)
  })
})

const hostileOrder = (text: string): Body =>
  newOrder({
    external_order_id: text,
    external_id: text,
    location_name: text,
    location_city: text,
    location_country: text,
    fingerprint_hash: text,
    ip_hash: text,
    edge_device_id: text,
    cashier_external_id: text,
    items: [
      {
        external_item_id: text,
        item_category: text,
        quantity: 1,
        unit_price_cents: 4990,
        total_price_cents: 4990,
      },
    ],
  })

describe('lists of orders', () => {
  it('have filters in the address, which another user can open', async () => {
    const shop = await harness().createOrganization()
    await createCase(shop)
    await submit(shop, newOrder({ external_order_id: 'other', external_id: 'bob' }))
    const page = await harness().open(shop.owner, shop.org_id, '/orders?mode=test')
    await page.getByRole('searchbox', { name: 'Profile' }).fill('bob')
    await page.getByText('1 order').waitFor()
    const address = page.url().split(shop.org_id)[1] ?? ''
    expect(address).toContain('external_id=bob')
    const other = await harness().open(await shop.join('member'), shop.org_id, address)
    await other.getByRole('link', { name: 'other' }).waitFor()
    await other.getByText('1 order').waitFor()
    await expectUsable(other)
    await other.getByRole('searchbox', { name: 'Order' }).fill('nothing')
    await other.getByText('No matching orders').waitFor()
    await other.getByRole('button', { name: 'Clear filters' }).click()
    await other.getByRole('link', { name: 'far away' }).waitFor()
    await other.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' })
  })

  it('of fraud alerts lead to the suspicious order', async () => {
    const shop = await harness().createOrganization()
    for (const payment_method of ['card', 'mobile', 'crypto', 'cash']) {
      const external_order_id = `by ${payment_method}`
      await submit(shop, newOrder({ external_id: 'hopper', external_order_id, payment_method }))
    }
    const page = await harness().open(shop.owner, shop.org_id, '/orders/alerts?mode=test')
    await page.getByText('payment hopping').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: /^by / }).click()
    await section(page, 'Decision').getByText('payment hopping').waitFor()
  })

  it('say what to do while they are empty', async () => {
    const { page } = await harness().openNew('/orders')
    await page.getByText('No live orders yet').waitFor()
    await page.getByRole('link', { name: 'Profiles' }).click()
    await page.getByText('No live profiles yet').waitFor()
    await page.getByRole('link', { name: 'Fraud alerts' }).click()
    await page.getByText('No open alerts').waitFor()
  })
})
