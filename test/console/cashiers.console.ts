/** Cashiers: comparison with peers, and the actions behind it. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { addStore } from '../support/cashiers.ts'
import { expectFits, expectUsable, HOSTILE, type Organization, useConsole } from './harness.ts'

const harness = useConsole()

/** Shared by the tests that only read. */
let shop: Organization
beforeAll(async () => {
  shop = await harness().createOrganization()
  await addStore(harness(), shop.keys.live_secret, { until: new Date(), days: 9 })
})

const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })

describe('a member', () => {
  it('finds a cashier who deviates and drills down to an action', async () => {
    const page = await harness().open(await shop.join('member'), shop.org_id, '/')
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
    await peers.getByText(/^Voids: .*is usual for 3 peers/).waitFor()
    await expectUsable(page)
    await rowOf(page, 'thief').getByRole('link', { name: 'thief' }).click()
    await page.getByRole('heading', { level: 1, name: 'thief' }).waitFor()
    const points = page.getByRole('group', { name: /Actions of thief by time/ })
    await points.waitFor()
    await page.getByRole('listitem').getByText('Shift from').waitFor()
    await expectUsable(page)
    await points.getByRole('link').first().focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(
      /^\d\d:\d\d, void, 19\.90, score \d+ (high|critical), excessive voids$/,
    )
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Void by thief' }).waitFor()
    await page.getByText(/^Voids: \d+% of about \d+ transactions/).waitFor()
    await page.getByText('rung up by the same cashier').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'Decide in the review queue' }).click()
    await page.getByRole('button', { name: 'Fraud' }).click()
    await page.getByText(/^1 decided, \d+ open/).waitFor()
  })

  it('keeps the comparison in the address', async () => {
    const page = await harness().open(shop.owner, shop.org_id, '/cashiers')
    await page.getByLabel('Action', { exact: true }).selectOption('shift start')
    await page
      .getByText('No cashier has a value for “Share of transactions, half-life 7 days”')
      .waitFor()
    await page.getByLabel('Compare by').selectOption('Count per shift')
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
    await page.getByRole('link', { name: 'Terminal pos-0' }).click()
    await page.getByRole('heading', { name: 'Shift start by cashier, Terminal pos-0' }).waitFor()
    await page.getByLabel('Mode').selectOption('test')
    await page.getByText('No cashier actions in this period').waitFor()
  })

  it('filters all actions and keeps the filters in the address', async () => {
    const page = await harness().open(shop.owner, shop.org_id, '/cashiers/actions?action_type=void')
    const rows = page.getByRole('region', { name: 'Cashier actions' }).locator('tbody tr')
    await rows.first().waitFor()
    await page.getByText('50 cashier actions so far').waitFor()
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('57 cashier actions', { exact: true }).waitFor()
    await page.getByLabel('Flagged only').check()
    await page.getByText(/^\d+ cashier actions$/).waitFor()
    await page.getByLabel('Order ID').fill('thief-8-1')
    await page.keyboard.press('Enter')
    await page.getByText('1 cashier action').waitFor()
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      action_type: 'void',
      flagged: 'true',
      order: 'thief-8-1',
    })
    await expectUsable(page)
    await page.getByLabel('Order ID').fill('none')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(async () => await page.getByLabel('Order ID').inputValue()).toBe('')
    await page.getByText('50 cashier actions so far').waitFor()
  })
})

it('does not find a cashier of another organization', async () => {
  const other = await harness().createOrganization()
  const mine = await harness().open(shop.owner, shop.org_id, '/cashiers')
  const link = await mine.getByRole('link', { name: 'thief', exact: true }).getAttribute('href')
  const path = (link ?? '').replace(/^.*\/cashiers/, '/cashiers')
  const page = await harness().open(other.owner, other.org_id, path)
  await page.getByText('Not found').waitFor()
  await page.goto(`${harness().origin}/console/o/${other.org_id}/cashiers`)
  await page.getByText('No cashier actions in this period').waitFor()
})

it('shows hostile names, terminals, orders and reasons as text', async () => {
  const { org_id, keys, owner } = await harness().createOrganization()
  for (const [index, text] of HOSTILE.entries()) {
    const { status } = await harness().post(
      '/v1/cashier/actions',
      {
        cashier_external_id: text,
        action_type: 'refund',
        edge_device_id: HOSTILE.at(index - 1),
        order_external_id: HOSTILE.at(index - 2),
        amount_cents: 5000,
        reason: text,
      },
      { key: keys.live_secret },
    )
    expect(status).toBe(200)
  }
  const page = await harness().open(owner, org_id, '/cashiers/actions')
  for (const text of HOSTILE) {
    await page.getByRole('link', { name: text, exact: true }).waitFor()
    expect(await page.getByRole('cell').filter({ hasText: text }).count()).toBe(4)
  }
  await expectUsable(page)
  for (const text of HOSTILE) {
    await page.goto(`${harness().origin}/console/o/${org_id}/cashiers/actions`)
    await rowOf(page, text).getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: text }).waitFor()
    await page.getByText(text, { exact: true }).last().waitFor()
    await expectFits(page)
    await page.getByRole('link', { name: text, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor()
  }
  await page.goto(`${harness().origin}/console/o/${org_id}/cashiers?action_type=refund`)
  await page
    .getByRole('img', { name: /usual is/ })
    .first()
    .waitFor()
  await expectUsable(page)
})
