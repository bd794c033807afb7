/** Cashiers: who deviates from the peers is found, and what was done is read action by action. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { addShop } from '../support/cashiers.ts'
import { expectAccessible, expectFits, HOSTILE, type Shop, useDesk } from './desk.ts'

const desk = useDesk()

/** One for all who only look at it. */
let shop: Shop
beforeAll(async () => {
  shop = await desk().createShop()
  await addShop(desk(), shop.keys.live_secret, { until: new Date(), days: 9 })
})

const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })

describe('a member', () => {
  it('finds the cashier who deviates and drills down to an action', async () => {
    const page = await desk().open(await shop.join('member'), shop.org_id, '/')
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Cashiers' })
      .click()
    const peers = page.getByRole('region', { name: /Share of transactions/ })
    await peers.waitFor()
    const [first] = await peers.getByRole('row').nth(1).getByRole('link').allInnerTexts()
    expect(first).toBe('thief')
    const bar = peers.getByRole('img', { name: /^thief: 1\d(\.\d)?%, usual is \d(\.\d)?%$/ })
    await bar.waitFor()
    await peers.getByText(/^Voids: .*3 peers make/).waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await rowOf(page, 'thief').getByRole('link', { name: 'thief' }).click()
    await page.getByRole('heading', { level: 1, name: 'thief' }).waitFor()
    const points = page.getByRole('group', { name: /Actions of thief by time/ })
    await points.waitFor()
    await page.getByRole('listitem').getByText('Shift from').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await points.getByRole('link').first().focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(
      /^\d\d:\d\d, void, 19\.90, score \d+ (high|critical), excessive voids$/,
    )
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Void by thief' }).waitFor()
    await page.getByText(/^Voids: \d+ % of about \d+ transactions/).waitFor()
    await page.getByText('rung up by the same cashier').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('link', { name: 'Decide in the review queue' }).click()
    await page.getByRole('button', { name: 'Fraud' }).click()
    await page.getByText(/^1 decided, \d+ open/).waitFor()
  })

  it('keeps what is compared in the address', async () => {
    const page = await desk().open(shop.owner, shop.org_id, '/cashiers')
    await page.getByLabel('Action', { exact: true }).selectOption('shift start')
    await page.getByText('Nobody here has “Share of transactions, half-life 7 days”').waitFor()
    await page.getByLabel('Compare by').selectOption('Number per shift')
    await page.getByLabel('Period').selectOption('Last 30 days')
    await page.getByRole('img', { name: /^thief: 0\.89, usual is 0\.89$/ }).waitFor()
    const { searchParams } = new URL(page.url())
    expect(Object.fromEntries(searchParams)).toEqual({
      action_type: 'shift_start',
      measure: 'per_shift',
      days: '30',
    })
    await page.reload()
    await page.getByRole('img', { name: /^thief: 0\.89, usual is 0\.89$/ }).waitFor()
    await page.getByRole('link', { name: 'Till pos-0' }).click()
    await page.getByRole('heading', { name: 'Shift start by cashier, Till pos-0' }).waitFor()
    await page.getByLabel('Mode').selectOption('test')
    await page.getByText('No cashier did anything in these days').waitFor()
  })

  it('filters all actions, by page and by address', async () => {
    const page = await desk().open(shop.owner, shop.org_id, '/cashiers/actions?action_type=void')
    const rows = page.getByRole('region', { name: 'Cashier actions' }).locator('tbody tr')
    await rows.first().waitFor()
    await page.getByText('50 cashier actions so far').waitFor()
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('57 cashier actions', { exact: true }).waitFor()
    await page.getByLabel('Flagged only').check()
    await page.getByText(/^\d+ cashier actions$/).waitFor()
    await page.getByLabel('Order id').fill('thief-8-1')
    await page.keyboard.press('Enter')
    await page.getByText('1 cashier actions').waitFor()
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      action_type: 'void',
      flagged: 'true',
      order: 'thief-8-1',
    })
    await expectAccessible(page)
    await expectFits(page)
    await page.getByLabel('Order id').fill('none')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove all filters' }).click()
    await expect.poll(async () => await page.getByLabel('Order id').inputValue()).toBe('')
    await page.getByText('50 cashier actions so far').waitFor()
  })
})

it('of another organisation a cashier does not exist', async () => {
  const other = await desk().createShop()
  const mine = await desk().open(shop.owner, shop.org_id, '/cashiers')
  const link = await mine.getByRole('link', { name: 'thief', exact: true }).getAttribute('href')
  const path = (link ?? '').replace(/^.*\/cashiers/, '/cashiers')
  const page = await desk().open(other.owner, other.org_id, path)
  await page.getByText('This does not exist (any more)').waitFor()
  await page.goto(`${desk().origin}/console/o/${other.org_id}/cashiers`)
  await page.getByText('No cashier did anything in these days').waitFor()
})

it('shows hostile names, tills, orders and reasons as text', async () => {
  const { org_id, keys, owner } = await desk().createShop()
  for (const [index, text] of HOSTILE.entries()) {
    const { status } = await desk().call({
      method: 'POST',
      path: '/v1/cashier/actions',
      key: keys.live_secret,
      body: {
        cashier_external_id: text,
        action_type: 'refund',
        edge_device_id: HOSTILE.at(index - 1),
        order_external_id: HOSTILE.at(index - 2),
        amount_cents: 5000,
        reason: text,
      },
    })
    expect(status).toBe(200)
  }
  const page = await desk().open(owner, org_id, '/cashiers/actions')
  for (const text of HOSTILE) {
    await page.getByRole('link', { name: text, exact: true }).waitFor()
    expect(await page.getByRole('cell', { name: text, exact: true }).count()).toBe(3)
  }
  await expectAccessible(page)
  await expectFits(page)
  for (const text of HOSTILE) {
    await page.goto(`${desk().origin}/console/o/${org_id}/cashiers/actions`)
    await rowOf(page, text).getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: text }).waitFor()
    await page.getByText(text, { exact: true }).last().waitFor()
    await expectFits(page)
    await page.getByRole('link', { name: text, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor()
  }
  await page.goto(`${desk().origin}/console/o/${org_id}/cashiers?action_type=refund`)
  await page
    .getByRole('img', { name: /usual is/ })
    .first()
    .waitFor()
  await expectAccessible(page)
  await expectFits(page)
})
