/** Cases: decisions about many items by keys, selections, and shortcuts that can be switched off. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { ListedEntry, ListPage } from '../../src/modules/lists/schema.ts'
import type { CaseCounts, CaseList } from '../../src/modules/reviews/cases/schema.ts'
import { addStore } from '../support/cashiers.ts'
import { BERLIN, TOKYO } from '../support/traveler.ts'
import { expectUsable, type Organization, useConsole } from './harness.ts'

const harness = useConsole()

/** Orders by turns in Berlin and Tokyo, of which all but the first are flagged. */
async function addCase({ keys }: Organization, name: string, orders: number): Promise<void> {
  const list = Array.from({ length: orders + 1 }, (_, index) => ({
    external_order_id: `${name} ${index}`,
    external_id: name,
    fingerprint_hash: `device of ${name}`,
    amount_cents: 4990,
    currency: 'EUR',
    ordered_at: new Date(Date.now() - (orders + 1 - index) * 60_000).toISOString(),
    ...(index % 2 === 0 ? BERLIN : TOKYO),
  }))
  for (const body of list) {
    const { status } = await harness().call({
      method: 'POST',
      path: '/v1/orders',
      key: keys.live_secret,
      body,
    })
    expect(status).toBe(200)
  }
}

async function counts(shop: Organization): Promise<CaseCounts> {
  const token = await harness().signIn(shop.org_id, 'member')
  const { body } = await harness().get<CaseCounts>(
    `/console/api/cases/counts?org_id=${shop.org_id}`,
    { token },
  )
  return body.content
}

type Listing = { list: string; what: string; offered: string[] }

/** @returns the message after the entry was added */
async function listFrom(page: Page, { list, what, offered }: Listing): Promise<string> {
  await page.getByRole('button', { name: 'Add to a list…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add to a list' })
  const options = await dialog.getByLabel('What').locator('option').allInnerTexts()
  const kinds = new Set(options.map((option) => option.split(/ \(|: /)[0]))
  expect(offered.filter((kind) => !kinds.has(kind))).toEqual([])
  await dialog.getByLabel('List', { exact: true }).selectOption(list)
  await dialog.getByLabel('What').selectOption({ label: what })
  await dialog.getByLabel('Reason').fill('Seen in a case')
  await dialog.getByLabel('Expires').selectOption('30')
  await expectUsable(page)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  return await page
    .getByText(/ is on the \w+ list/)
    .first()
    .innerText({ timeout: 5000 })
}

async function listed(shop: Organization): Promise<ListedEntry[]> {
  const token = await harness().signIn(shop.org_id, 'member')
  const path = `/console/api/lists?org_id=${shop.org_id}`
  return (await harness().get<ListPage>(path, { token })).body.content.entries
}

const title = (page: Page) => page.locator('main section h2').nth(1)

describe('cases', () => {
  it('ten of them with at least 50 items are decided by keys', async () => {
    const shop = await harness().createOrganization()
    for (let index = 0; index < 10; index += 1) await addCase(shop, `customer-${index}`, 8)
    const before = await counts(shop)
    expect(before.open).toBe(10)
    expect(before.items).toBeGreaterThanOrEqual(50)
    const page = await harness().open(shop.owner, shop.org_id, '/cases')
    await page.getByRole('button', { name: /^Fraud \(all/ }).waitFor()
    await expectUsable(page)
    const begun = performance.now()
    for (let left = 10; left > 0; left -= 1) {
      await page.getByRole('button', { name: /^Fraud \(all/ }).waitFor()
      const shown = await title(page).innerText()
      await page.keyboard.press(left % 3 === 0 ? 'l' : 'f')
      if (left > 1) await expect.poll(async () => await title(page).innerText()).not.toBe(shown)
    }
    await expect.poll(async () => (await counts(shop)).items, { timeout: 20_000 }).toBe(0)
    const seconds = (performance.now() - begun) / 1000
    console.log(`10 cases with ${before.items} items decided by keys in ${seconds.toFixed(1)} s`)
    await page.getByText('No cases').waitFor()
  })

  it('the next case is loaded while one is shown', async () => {
    const shop = await harness().createOrganization()
    for (const name of ['first', 'second']) await addCase(shop, name, 2)
    const page = await harness().open(shop.owner, shop.org_id, '/cases')
    const read = new Set<string>()
    page.on('request', (request) => read.add(new URL(request.url()).pathname))
    await page.reload()
    await page.getByRole('button', { name: /^Fraud \(all/ }).waitFor()
    const token = await harness().signIn(shop.org_id, 'member')
    const { body } = await harness().get<CaseList>(`/console/api/cases?org_id=${shop.org_id}`, {
      token,
    })
    const paths = body.content.cases.map(({ id }) => `/console/api/cases/${id}`)
    expect(paths).toHaveLength(2)
    await expect.poll(() => paths.filter((path) => !read.has(path))).toEqual([])
  })

  it('a selection of items is decided, and the case stays', async () => {
    const shop = await harness().createOrganization()
    await addCase(shop, 'customer', 3)
    const page = await harness().open(shop.owner, shop.org_id, '/cases')
    await page.getByRole('img', { name: /^Graph of/ }).waitFor()
    await page.getByText('in this case').first().waitFor()
    await page.getByLabel('Select customer 3').first().check()
    await page.getByRole('button', { name: 'Legitimate (1 selected)' }).click()
    await page.getByText('1 item marked as legitimate').waitFor()
    await page.getByText('In work by').waitFor()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    const token = await harness().signIn(shop.org_id, 'member')
    const { body } = await harness().get<CaseList>(`/console/api/cases?org_id=${shop.org_id}`, {
      token,
    })
    expect(body.content.cases[0]?.open_items).toBeLessThan(body.content.cases[0]?.items ?? 0)
  })

  it('a customer goes from a case to the watch list, and the map shows the selected item', async () => {
    const shop = await harness().createOrganization()
    await addCase(shop, 'ann@example.com', 2)
    const page = await harness().open(shop.owner, shop.org_id, '/cases')
    await page.getByRole('heading', { name: 'Location', exact: true }).waitFor()
    await page.getByRole('img', { name: /^Map of this order/ }).waitFor()
    expect(
      await listFrom(page, {
        list: 'watch',
        what: 'E-mail: ann@example.com',
        offered: ['Profile', 'E-mail', 'Device', 'Country'],
      }),
    ).toBe('a…@example.com is on the watch list')
    expect(await listed(shop)).toMatchObject([
      {
        list: 'watch',
        kind: 'email',
        reason: 'Seen in a case',
        created_by_email: shop.owner.email,
      },
    ])
    await expectUsable(page)
  })

  it('a cashier goes from a case to the block list until a time', async () => {
    const shop = await harness().createOrganization()
    await addStore(harness(), shop.keys.live_secret, { until: new Date(), days: 8 })
    const page = await harness().open(shop.owner, shop.org_id, '/cases?cause=cashier')
    await page.getByRole('link', { name: 'thief', exact: true }).waitFor()
    expect(
      await listFrom(page, {
        list: 'block',
        what: 'Cashier (external_id): thief',
        offered: ['Cashier', 'Terminal'],
      }),
    ).toBe('thief is on the block list')
    const [entry] = await listed(shop)
    expect(entry).toMatchObject({ list: 'block', kind: 'cashier', value: 'thief' })
    expect(entry?.expires_at).not.toBeNull()
  })

  it('a case is assigned, waits until a time, and has the reason codes that admins set', async () => {
    const shop = await harness().createOrganization()
    await addCase(shop, 'customer', 2)
    const page = await harness().open(shop.owner, shop.org_id, '/cases')
    await page.getByRole('button', { name: 'Settings…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason codes').fill('called: Called the customer\nother: Other')
    await dialog.getByRole('button', { name: 'Store', exact: true }).click()
    await page.getByLabel('Reason', { exact: true }).selectOption({ label: 'Called the customer' })
    await page
      .getByLabel('Assignee')
      .last()
      .selectOption({ label: `Assigned to ${shop.owner.email}` })
    await page.getByText(`In work by ${shop.owner.email}`).waitFor()
    await page.getByRole('button', { name: 'Wait…' }).click()
    await expectUsable(page)
    const later = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16)
    await dialog.getByLabel('Until').fill(later)
    await dialog.getByRole('button', { name: 'Wait', exact: true }).click()
    await page.getByText('Waiting until').waitFor()
  })

  it('statistics show decisions by week and analyst', async () => {
    const shop = await harness().createOrganization()
    await addCase(shop, 'customer', 2)
    const page = await harness().open(shop.owner, shop.org_id, '/cases')
    await page.getByRole('button', { name: /^Fraud \(all/ }).click()
    await page
      .getByText(/marked as fraud/)
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'Statistics' }).click()
    await page.getByText(shop.owner.email).waitFor()
    await page.getByText('100%').first().waitFor()
    await expectUsable(page)
  })

  it('keys do nothing while the case is loading, or when they are switched off', async () => {
    const shop = await harness().createOrganization()
    await addCase(shop, 'customer', 2)
    const before = await counts(shop)
    const page = await harness().open(shop.owner, shop.org_id, '/orders')
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(/console\/api\/cases\/[0-9a-f-]{36}\?/, async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('link', { name: 'Cases', exact: true }).click()
    await page.getByRole('navigation', { name: 'Cases' }).waitFor()
    await page.keyboard.press('f')
    await page.getByText('The case is still loading.').waitFor({ state: 'attached' })
    release()
    const fraud = page.getByRole('button', { name: /^Fraud \(all/ })
    await fraud.waitFor()
    await page.mouse.wheel(0, 5000)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await page.evaluate('scrollTo(0, document.body.scrollHeight)')
      const box = await fraud.boundingBox()
      expect(box && box.y > 0 && box.y + box.height <= 844).toBe(true)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    expect((await counts(shop)).items).toBe(before.items)
    await page.keyboard.press('?')
    await page.getByLabel('Use shortcuts of a single key in this browser').uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('f')
    await page.getByRole('button', { name: 'Escalate' }).click()
    await page.getByRole('button', { name: 'End the escalation' }).waitFor()
    expect((await counts(shop)).items).toBe(before.items)
  })
})
