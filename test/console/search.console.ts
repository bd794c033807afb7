/** One search over orders, devices, pages and actions, by keyboard and by pointer. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { newOrder, useOrders } from '../support/orders.ts'
import { expectUsable, HOSTILE, useConsole } from './harness.ts'

const harness = useConsole()
const { order } = useOrders(harness)

const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
const field = (page: Page) => page.getByRole('combobox', { name: 'Search everything' })

async function openShop(path = '/?mode=test', width?: number) {
  const shop = await harness().openNew(path, width === undefined ? {} : { width })
  const body = newOrder({ external_order_id: 'Web-2026-004711', external_id: HOSTILE[0] })
  const answer = await order(shop.keys.test_secret, body)
  return { ...shop, id: answer.body.content.order.id }
}

describe('the search', () => {
  it('finds an order by a part of its number in two clicks', async () => {
    const { page, id } = await openShop()
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    // The dialog is loaded when it is first opened.
    await field(page).waitFor()
    await page.keyboard.type('4711')
    await option(page, 'Web-2026-004711').click()
    await page.getByRole('heading', { level: 1, name: 'Order Web-2026-004711' }).waitFor()
    expect(page.url()).toContain(`/orders/${id}?mode=test`)
  })

  it('works with the keyboard alone, and offers what was opened last', async () => {
    const { page } = await openShop()
    await page.keyboard.press('Control+k')
    await field(page).pressSequentially('web-2026')
    await option(page, 'Web-2026-004711').waitFor()
    await expectUsable(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Order Web-2026-004711' }).waitFor()
    await page.keyboard.press('/')
    await page.getByRole('group', { name: 'Recent' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Order Web-2026-004711' }).waitFor()
    await page.keyboard.press('/')
    await field(page).fill('roll key')
    await option(page, 'Roll an API key').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  })

  it('keeps what is typed while it is loaded, and Enter waits for the service', async () => {
    const { page } = await openShop()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/search-dialog-.*js|api\/search$/, async (route) => {
      await released
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('4712')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('1')
    await page.keyboard.press('Enter')
    release()
    await page.getByRole('heading', { level: 1, name: 'Order Web-2026-004711' }).waitFor()
    await page.unroute(/search-dialog-.*js|api\/search$/)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('web-2026-00')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Order Web-2026-004711' }).waitFor()
  })

  it('leaves a slash to the fields, and closes with Escape', async () => {
    const { page } = await openShop('/orders?mode=test')
    await page.getByLabel('Order', { exact: true }).press('/')
    expect(await field(page).count()).toBe(0)
    await page.keyboard.press('Control+k')
    await field(page).waitFor()
    await page.keyboard.press('Escape')
    await field(page).waitFor({ state: 'detached' })
  })

  it('shows hostile names as text, and fits into a phone', async () => {
    const { page } = await openShop('/?mode=test', 390)
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await field(page).fill(HOSTILE[0].slice(2, 14))
    await page.getByRole('group', { name: 'Profiles' }).waitFor()
    await expectUsable(page)
  })
})
