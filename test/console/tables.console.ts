/** Tables of lists: what fits on a screen, and how a person arranges and uses them. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { newOrder, useOrders } from '../support/orders.ts'
import { expectUsable, useConsole } from './harness.ts'

const harness = useConsole()
const { bulk } = useOrders(harness)

const ORDERS = 24
const LONG = 'order-of-the-web-shop-2026-11-22-0000004711'

async function openOrders(size: { width: number; height: number }) {
  const shop = await harness().createOrganization()
  const orders = Array.from({ length: ORDERS }, (_, n) =>
    newOrder({
      external_order_id: n === 0 ? LONG : `W2611${String(n).padStart(2, '0')}`,
      external_id: `customer-${n}`,
      location_name: 'Berlin Friedrichstrasse flagship store',
    }),
  )
  await bulk(shop.keys.test_secret, orders)
  const page = await harness().open(shop.owner, shop.org_id, '/orders?mode=test', size)
  await rowsOf(page).first().waitFor()
  return page
}

const BOTTOMS_OF_ROWS = `
  [...document.querySelectorAll('[role=region][aria-label=Orders] tbody tr')]
    .map((row) => row.getBoundingClientRect().bottom)`
const WIDTHS_OF_FRAME = `
  (({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(
    document.querySelector('[role=region][aria-label=Orders]'))`

const rowsOf = (page: Page) => page.getByRole('region', { name: 'Orders' }).locator('tbody tr')
const headers = async (page: Page) => await page.getByRole('columnheader').allTextContents()

describe('the table of a list', () => {
  it('shows twenty orders at 1440 x 900, cuts nothing off, and breaks no word', async () => {
    const page = await openOrders({ width: 1440, height: 900 })
    const bottoms = await page.evaluate<number[]>(BOTTOMS_OF_ROWS)
    const visible = bottoms.filter((bottom) => bottom <= 900).length
    console.log(`${visible} orders at 1440 x 900`)
    expect(visible).toBeGreaterThanOrEqual(20)
    for (const width of [1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const [inner = 0, outer = 0] = await page.evaluate<number[]>(WIDTHS_OF_FRAME)
      expect(inner, `at ${width}`).toBeLessThanOrEqual(outer)
    }
    await page.mouse.wheel(0, 400)
    await page.getByRole('columnheader', { name: 'Order', exact: true }).click({ trial: true })
    await expectUsable(page)
  })

  it('sorts by the service, and opens rows by pointer and keyboard', async () => {
    const page = await openOrders({ width: 1440, height: 900 })
    expect(await rowsOf(page).first().textContent()).toContain('W261123')
    await page.getByRole('button', { name: 'Ordered' }).click()
    await page.waitForURL(/sort=oldest/)
    await rowsOf(page).first().getByText('customer-0', { exact: true }).waitFor()
    await rowsOf(page).nth(1).locator('td').first().click()
    await page.getByRole('heading', { level: 1, name: 'Order W261101' }).waitFor()
    await page.goBack()
    await rowsOf(page).first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Order W261102' }).waitFor()
  })

  it('keeps columns, their sequence and views for the person', async () => {
    const page = await openOrders({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Type and place' }).uncheck()
    await page.getByRole('button', { name: 'Move Amount up' }).click()
    await expectUsable(page)
    await page.getByLabel('Save the current filters as').fill('Everything')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('link', { name: 'Everything' }).waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    await rowsOf(page).first().waitFor()
    const shown = await headers(page)
    expect(shown).not.toContain('Type and place')
    expect(shown.indexOf('Amount')).toBeLessThan(shown.indexOf('Profile'))
  })

  it('saves what is filtered as CSV, and copies a long number', async () => {
    const page = await openOrders({ width: 1280, height: 900 })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe('orders.csv')
    await page.getByText(`${ORDERS} orders saved`).waitFor()
    await page.getByRole('button', { name: `Copy ${LONG}` }).click()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(LONG)
  })
})
