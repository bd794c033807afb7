/** The review queue: decisions by keyboard and by pointer, rejected decisions and hostile texts. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { ReviewCounts, ReviewList } from '../../src/modules/reviews/schema.ts'
import { addStore } from '../support/cashiers.ts'
import { addFlaggedOrders } from '../support/flagged-orders.ts'
import { addReview } from '../support/reviews.ts'
import {
  expectAccessible,
  expectUsable,
  HOSTILE,
  type Organization,
  useConsole,
} from './harness.ts'

const harness = useConsole()

/** The decisions that the service stored, with their notes. */
async function decided({
  org_id,
}: Organization): Promise<Map<string, [string | null, string | null]>> {
  const token = await harness().signIn(org_id, 'member')
  const { body } = await harness().get<ReviewList>(
    `/console/api/reviews?org_id=${org_id}&state=decided`,
    { token },
  )
  return new Map(
    body.content.reviews.map(({ external_id, decision, note }) => [external_id, [decision, note]]),
  )
}

const detail = (page: Page) => page.locator('main h3').first()
const announcement = (page: Page) => page.locator('main [role=status]').first()
const reviewOf = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Reviews' }).getByRole('link', { name })

async function openQueue(
  names: readonly string[],
  query = '',
): Promise<{ shop: Organization; page: Page }> {
  const shop = await harness().createOrganization()
  await addFlaggedOrders(harness(), shop.keys.live_secret, names)
  const member = await shop.join('member')
  const page = await harness().open(member, shop.org_id, `/reviews${query}`)
  await detail(page).waitFor()
  return { shop, page }
}

describe('with the keyboard alone', () => {
  it('three reviews are decided one after the other and stored by the service', async () => {
    const { shop, page } = await openQueue(['first', 'second', 'third', 'fourth'])
    await page.getByText('0 decided, 4 open').waitFor()
    await detail(page).getByText('fourth').waitFor()
    await page
      .getByText(/^[\d,]+ km from the previous place/)
      .first()
      .waitFor()
    await page.keyboard.press('f')
    await detail(page).getByText('third').waitFor()
    expect(await announcement(page).innerText()).toMatch(
      /^Marked fourth as fraud\. Next: third, score \d+/,
    )
    await page.keyboard.press('n')
    await page.keyboard.type('Known customer: f and l are letters here')
    await page.keyboard.press('Escape')
    await page.keyboard.press('l')
    await detail(page).getByText('second').waitFor()
    await page.keyboard.press('j')
    await detail(page).getByText('first').waitFor()
    await page.keyboard.press('f')
    await detail(page).getByText('second').waitFor()
    await page.getByText('3 decided, 1 open').waitFor()
    expect(await decided(shop)).toEqual(
      new Map([
        ['fourth', ['confirmed_fraud', null]],
        ['third', ['legitimate', 'Known customer: f and l are letters here']],
        ['first', ['confirmed_fraud', null]],
      ]),
    )
  })

  it('a decision is changed and the queue continues at the same place', async () => {
    const { shop, page } = await openQueue(['first', 'second', 'third'])
    await page.keyboard.press('f')
    await detail(page).getByText('second').waitFor()
    await page.keyboard.press('u')
    await detail(page).getByText('third').waitFor()
    await page.getByRole('button', { name: 'Change to legitimate' }).waitFor()
    await page.keyboard.press('l')
    await detail(page).getByText('second').waitFor()
    await page.getByText('1 decided, 2 open').waitFor()
    expect(await decided(shop)).toEqual(new Map([['third', ['legitimate', null]]]))
    await page.keyboard.press('u')
    await page.getByRole('heading', { name: 'Decisions' }).waitFor()
    const decisions = page.locator('main ol li').getByText(/^(fraud|legitimate)$/)
    await expect.poll(async () => await decisions.allInnerTexts()).toEqual(['fraud', 'legitimate'])
  })

  it('the shortcuts are listed in a dialog, which disables them', async () => {
    const { shop, page } = await openQueue(['only'])
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.waitFor()
    await page.keyboard.press('f')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    expect(await decided(shop)).toEqual(new Map())
    await page.keyboard.press('Control+l')
    expect(await decided(shop)).toEqual(new Map())
  })

  it('the arrow keys move like j and k and stop at the ends', async () => {
    const { page } = await openQueue(['first', 'second'])
    await page.keyboard.press('ArrowDown')
    await detail(page).getByText('first').waitFor()
    await page.keyboard.press('ArrowDown')
    await announcement(page).getByText('This is the last review.').waitFor()
    await page.keyboard.press('ArrowUp')
    await detail(page).getByText('second').waitFor()
    const focused = async () => await page.evaluate('document.activeElement.textContent')
    await expect.poll(focused).toBe('second')
    await page.keyboard.press('k')
    await announcement(page).getByText('This is the first review.').waitFor()
  })
})

describe('a decision applies to the review that was shown', () => {
  it('a key that is held down decides only one review', async () => {
    const { shop, page } = await openQueue(['first', 'second', 'third'])
    for (let times = 0; times < 5; times += 1) await page.keyboard.down('f')
    await page.keyboard.up('f')
    await detail(page).getByText('second').waitFor()
    await page.getByText('1 decided, 2 open').waitFor()
    expect([...(await decided(shop)).keys()]).toEqual(['third'])
  })

  it('a new review does not take its place', async () => {
    const { shop, page } = await openQueue(['seen'])
    await addFlaggedOrders(harness(), shop.keys.live_secret, ['newer'])
    // Old enough to be reloaded when the window becomes visible again.
    await page.clock.install({ time: Date.now() + 60_000 })
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
    await reviewOf(page, 'newer').waitFor()
    expect(await detail(page).innerText()).toBe('seen')
    await page.keyboard.press('l')
    await detail(page).getByText('newer').waitFor()
    await expect.poll(async () => [...(await decided(shop)).keys()]).toEqual(['seen'])
  })

  it('a note stays with the review that it was written for', async () => {
    const { shop, page } = await openQueue(['first', 'second'])
    await page.keyboard.press('n')
    await page.keyboard.type('About the second')
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    await detail(page).getByText('second').waitFor()
    expect(await page.getByLabel('Note').inputValue()).toBe('About the second')
    await page.keyboard.press('l')
    await page.getByText('All reviews are decided').waitFor()
    await page.getByText('2 decided, 0 open').waitFor()
    expect(await decided(shop)).toEqual(
      new Map([
        ['second', ['legitimate', 'About the second']],
        ['first', ['confirmed_fraud', null]],
      ]),
    )
  })

  it('a decision by someone else in the meantime is not overwritten', async () => {
    const { shop, page } = await openQueue(['first', 'second'])
    const id = new URL(page.url()).searchParams.get('review') ?? ''
    const { status } = await harness().post(
      `/console/api/reviews/${id}/decision`,
      { org_id: shop.org_id, decision: 'legitimate' },
      { token: await harness().signIn(shop.org_id, 'member') },
    )
    expect(status).toBe(200)
    await page.keyboard.press('f')
    await page
      .getByText('second was not decided: another member has decided this review in the meantime')
      .waitFor()
    await page.getByText('0 decided, 1 open').waitFor()
    expect(await reviewOf(page, 'second').count()).toBe(0)
    expect(await decided(shop)).toEqual(new Map([['second', ['legitimate', null]]]))
  })

  it('decisions of one mode are not shown in the other', async () => {
    const { shop, page } = await openQueue(['first', 'second'])
    await addReview(harness().stores.db, shop.org_id, { mode: 'test', external_id: 'of test mode' })
    await page.keyboard.press('f')
    await page.getByText('1 decided, 1 open').waitFor()
    await page.getByLabel('Mode').selectOption('test')
    await detail(page).getByText('of test mode').waitFor()
    await page.getByText('0 decided, 1 open').waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('u')
    await announcement(page).getByText('No decisions in this session yet.').waitFor()
    await page.getByLabel('Mode').selectOption('live')
    await detail(page).getByText('first').waitFor()
  })

  it('two decisions about the same review are sent one after the other', async () => {
    const { shop, page } = await openQueue(['first', 'second'])
    let isFirst = true
    await page.route('**/decision', async (route) => {
      const isSlow = isFirst
      isFirst = false
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    await page.keyboard.press('f')
    await detail(page).getByText('first').waitFor()
    await page.keyboard.press('u')
    await detail(page).getByText('second').waitFor()
    await page.keyboard.press('l')
    await detail(page).getByText('first').waitFor()
    await expect.poll(async () => (await decided(shop)).get('second')?.[0]).toBe('legitimate')
    await page.getByText('1 decided, 1 open').waitFor()
  })
})

describe('a rejected decision', () => {
  it('is reverted with its reason', async () => {
    const shop = await harness().createOrganization()
    // Its order does not exist, so it cannot be decided.
    const { external_id } = await addReview(harness().stores.db, shop.org_id)
    await addFlaggedOrders(harness(), shop.keys.live_secret, ['stored'])
    const page = await harness().open(shop.owner, shop.org_id, '/reviews')
    await detail(page).getByText('stored').waitFor()
    await page.keyboard.press('j')
    await page.getByText('The order is no longer stored').waitFor()
    await page.keyboard.press('f')
    await page.getByText(`${external_id} was not decided: Not found`).waitFor()
    await reviewOf(page, external_id).waitFor()
    await page.getByText('0 decided, 2 open').waitFor()
    // The review that is open does not change, because the next key is meant for it.
    expect(await detail(page).innerText()).toBe('stored')
    expect(await announcement(page).innerText()).toContain('Not decided')
  })

  it('of another organization is not found', async () => {
    const other = await harness().createOrganization()
    const { id } = await addReview(harness().stores.db, other.org_id)
    const { page } = await openQueue(['mine'])
    const url = new URL(page.url())
    await page.goto(`${url.origin}${url.pathname}?review=${id}`)
    await page.getByText('Not found').waitFor()
  })
})

describe('the list', () => {
  it('is filtered and sorted by the address', async () => {
    const shop = await harness().createOrganization()
    const { db } = harness().stores
    for (const [risk_score, external_id] of [
      [60, 'low'],
      [99, 'high'],
      [70, 'middle'],
    ] as const) {
      await addReview(db, shop.org_id, { risk_score, external_id })
    }
    await addReview(db, shop.org_id, {
      subject: 'alert',
      reason: 'shared_device',
      external_id: 'a',
    })
    await addReview(db, shop.org_id, { mode: 'test', external_id: 'of the test mode' })
    const page = await harness().open(shop.owner, shop.org_id, '/reviews?order=highest')
    const names = async () =>
      await page.getByRole('navigation', { name: 'Reviews' }).locator('strong').allInnerTexts()
    await detail(page).getByText('high').waitFor()
    expect(await names()).toEqual(['high', 'middle', 'a', 'low'])
    await page.getByLabel('Subject').selectOption('Fraud alerts')
    await page.getByText('Pattern across orders: shared device').first().waitFor()
    await expect.poll(names).toEqual(['a'])
    expect(new URL(page.url()).searchParams.get('subject')).toBe('alert')
    await page.reload()
    await detail(page).getByText('a', { exact: true }).waitFor()
    await page.getByLabel('State').selectOption('Decided')
    await page.getByText('No matching reviews').waitFor()
    expect(await page.getByLabel('Sort by', { exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Mode').selectOption('test')
    await page.getByRole('button', { name: 'Show all open reviews' }).click()
    await detail(page).getByText('of the test mode').waitFor()
  })

  it('is one tab stop, in which arrow keys move and Enter opens', async () => {
    const { page } = await openQueue(['first', 'second', 'third'])
    const list = page.getByRole('navigation', { name: 'Reviews' })
    await reviewOf(page, 'third').focus()
    await page.keyboard.press('ArrowDown')
    const focused = page.locator(':focus strong')
    await expect.poll(async () => await focused.innerText()).toBe('second')
    expect(await detail(page).innerText()).toBe('third')
    await page.keyboard.press('End')
    await expect.poll(async () => await focused.innerText()).toBe('first')
    expect(await list.locator('a[tabindex="0"]').count()).toBe(1)
    await page.keyboard.press('Enter')
    await detail(page).getByText('first').waitFor()
    await reviewOf(page, 'first').focus()
    await page.keyboard.press('Tab')
    expect(await list.locator('a:focus').count()).toBe(0)
  })

  it('is also a table, in which several are decided together', async () => {
    const { shop, page } = await openQueue(['first', 'second', 'third'])
    await page.getByRole('link', { name: 'Table', exact: true }).click()
    await page.getByLabel('Select first').check()
    await page.getByLabel('Select third').check()
    await page.getByRole('button', { name: 'Legitimate…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Legitimate: 2 reviews' })
    await dialog.getByRole('button', { name: 'Legitimate', exact: true }).click()
    await dialog.getByText('2 reviews done, 0 failed.').waitFor()
    expect(new Set((await decided(shop)).keys())).toEqual(new Set(['first', 'third']))
  })

  it('says that no reviews are open', async () => {
    const { page } = await harness().openNew('/reviews')
    await page.getByText('No open reviews').waitFor()
    await expectUsable(page)
  })
})

describe('a cashier action', () => {
  it('is explained by its signals and decided by pointer', async () => {
    const shop = await harness().createOrganization()
    await addStore(harness(), shop.keys.live_secret, { until: new Date(), days: 8 })
    const page = await harness().open(shop.owner, shop.org_id, '/reviews?subject=cashier_action')
    await page.getByRole('heading', { name: 'Why this score' }).waitFor()
    await page
      .getByText(/^Voids: .* of about \d+ transactions/)
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'thief', exact: true }).waitFor()
    await expectUsable(page)
    const before = await decided(shop)
    await page.getByRole('button', { name: 'Legitimate' }).click()
    await announcement(page)
      .getByText(/^Marked thief.* as legitimate/)
      .waitFor()
    await expect.poll(async () => (await decided(shop)).size).toBe(before.size + 1)
    const { body } = await harness().get<ReviewCounts>(
      `/console/api/reviews/counts?org_id=${shop.org_id}`,
      { token: await harness().signIn(shop.org_id, 'member') },
    )
    expect(body.content.decided.cashier_action.legitimate).toBe(1)
  })
})

it('shows hostile names, reasons and notes as text', async () => {
  const { shop, page } = await openQueue(HOSTILE)
  for (const text of HOSTILE.toReversed()) {
    await detail(page).getByText(text, { exact: true }).waitFor()
    await page.keyboard.press('n')
    await page.keyboard.type(text)
    await page.keyboard.press('Escape')
    await page.keyboard.press('f')
    await expect.poll(async () => (await decided(shop)).get(text)?.[1]).toBe(text)
  }
  await page.getByText('All reviews are decided').waitFor()
  await page.getByLabel('State').selectOption('Decided')
  for (const text of HOSTILE) {
    await reviewOf(page, text).click()
    await detail(page).getByText(text, { exact: true }).waitFor()
    expect(await page.locator('main').getByText(text, { exact: true }).count()).toBeGreaterThan(2)
  }
  const reason = `Because ${HOSTILE[0]}`
  const { id } = await addReview(harness().stores.db, shop.org_id, { reason, flags: [HOSTILE[1]] })
  const url = new URL(page.url())
  await page.goto(`${url.origin}${url.pathname}?review=${id}`)
  await page.locator('main').getByText(reason).first().waitFor()
  await expectUsable(page)
})
