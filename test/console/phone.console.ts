/** The console on a phone: a list, then one of its items alone, and Back to the same place of the list. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { newOrder, useOrders } from '../support/orders.ts'
import { BERLIN, TOKYO } from '../support/traveler.ts'
import { addLogs, row } from './edge-logs.ts'
import { expectUsable, type Organization, useConsole } from './harness.ts'

const harness = useConsole()
const { bulk } = useOrders(harness)
const PHONE = { width: 390, height: 844 }
const SECOND_CELL = "document.querySelector('tbody td:nth-child(2)')"
const top = async (page: Page) => await page.evaluate<number>('window.scrollY')

/** Orders by turns in Berlin and Tokyo, of which all but the first are flagged. */
async function addCases({ keys }: Organization, customers: number): Promise<void> {
  for (let customer = 0; customer < customers; customer += 1) {
    for (let place = 0; place < 3; place += 1) {
      const ordered = Date.now() - (3 - place) * 60_000
      const body = {
        external_order_id: `order ${customer}-${place}`,
        external_id: `customer-${customer}`,
        fingerprint_hash: `device of ${customer}`,
        amount_cents: 4990,
        currency: 'EUR',
        ordered_at: new Date(ordered).toISOString(),
        ...(place % 2 === 0 ? BERLIN : TOKYO),
      }
      const key = keys.live_secret
      await harness().call({ method: 'POST', path: '/v1/orders', key, body })
    }
  }
}

describe('on a phone', () => {
  it.each(['cases', 'reviews'])(
    '%s are a list, one opens alone, is decided there, and Back returns to the place',
    async (name) => {
      const shop = await harness().createOrganization()
      await addCases(shop, 12)
      const page = await harness().open(shop.owner, shop.org_id, `/${name}`, PHONE)
      const list = page.getByRole('navigation', { name: new RegExp(`^${name}$`, 'i') })
      const items = list.getByRole('link')
      await items.nth(11).waitFor()
      expect(await page.locator('.decision-bar').count()).toBe(0)
      await expectUsable(page)
      await items.nth(8).scrollIntoViewIfNeeded()
      await page.evaluate('window.scrollBy(0, 120)')
      const before = await top(page)
      expect(before).toBeGreaterThan(0)
      // A click of the test would scroll the item into view first.
      await items.nth(9).dispatchEvent('click')
      await page.locator('.decision-bar').waitFor()
      expect(await list.isVisible()).toBe(false)
      expect(await top(page)).toBe(0)
      await expectUsable(page)
      await page.goBack()
      await list.waitFor()
      await expect.poll(async () => await top(page)).toBe(before)
      await items.nth(9).dispatchEvent('click')
      await page.getByRole('link', { name: `All ${name}` }).click()
      await expect.poll(async () => await top(page)).toBe(before)

      const address = await items.first().getAttribute('href')
      await items.first().click()
      await page.locator('.decision-bar').getByRole('button', { name: 'Legitimate' }).click()
      await page.waitForURL((url) => !`${url.pathname}${url.search}`.endsWith(address ?? ''))
      expect(await list.isVisible()).toBe(false)
    },
  )

  it('wide tables are cards that are still tables, and Back finds the order in the list', async () => {
    const shop = await harness().createOrganization()
    const orders = Array.from({ length: 24 }, (_, n) => newOrder({ external_order_id: `W${n}` }))
    await bulk(shop.keys.test_secret, orders)
    const page = await harness().open(shop.owner, shop.org_id, '/orders?mode=test', PHONE)
    const table = page.getByRole('region', { name: 'Orders' }).getByRole('table')
    await table.getByRole('link', { name: 'W3', exact: true }).waitFor()
    expect(await table.getByRole('columnheader').count()).toBeGreaterThan(5)
    expect(await page.evaluate(`getComputedStyle(${SECOND_CELL}, '::before').content`)).toBe(
      '"Score" / ""',
    )
    expect(await page.evaluate(`getComputedStyle(${SECOND_CELL}).display`)).toBe('block')
    await expectUsable(page)
    await table.getByRole('link', { name: 'W3', exact: true }).scrollIntoViewIfNeeded()
    const before = await top(page)
    expect(before).toBeGreaterThan(0)
    await table.getByRole('link', { name: 'W3', exact: true }).dispatchEvent('click')
    await page.getByRole('heading', { level: 1, name: /W3/ }).waitFor()
    expect(await top(page)).toBe(0)
    await page.goBack()
    await expect.poll(async () => await top(page)).toBe(before)
  })

  it('the details of a log cover the page, and Back closes them', async () => {
    const shop = await harness().createOrganization()
    const message = 'The printer is out of paper'
    await addLogs(harness(), shop.org_id, [{ device_id: 'till-1', level: 'error', message }])
    const page = await harness().open(shop.owner, shop.org_id, '/logs?range=2d', PHONE)
    await row(page, message).click()
    const dialog = page.getByRole('dialog', { name: 'Log entry' })
    await dialog.waitFor()
    await expectUsable(page)
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    expect(page.url()).toContain('/logs')
    await row(page, message).click()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(page.url()).toContain('/logs')
  })

  it('what concerns the person is in the menu', async () => {
    const { page } = await harness().openNew('/', PHONE)
    const out = page.getByRole('button', { name: 'Sign out' })
    expect(await out.count()).toBe(0)
    await page.getByRole('button', { name: 'Menu' }).click()
    await expectUsable(page)
    await out.click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})
