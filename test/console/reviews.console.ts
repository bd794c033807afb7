/** The review queue: deciding by keyboard and by pointer, with what is refused and what is hostile. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { ReviewCounts, ReviewList } from '../../src/modules/reviews/schema.ts'
import { addShop } from '../support/cashiers.ts'
import { addFlaggedOrders } from '../support/flagged-orders.ts'
import { addReview } from '../support/reviews.ts'
import { expectAccessible, expectFits, HOSTILE, type Shop, useDesk } from './desk.ts'

const desk = useDesk()

/** What the server has. */
async function decided({ org_id }: Shop): Promise<Map<string, [string | null, string | null]>> {
  const token = await desk().signIn(org_id, 'member')
  const { body } = await desk().call<ReviewList>({
    method: 'GET',
    path: `/console/api/reviews?org_id=${org_id}&state=decided`,
    token,
  })
  return new Map(
    body.content.reviews.map(({ external_id, decision, note }) => [external_id, [decision, note]]),
  )
}

const detail = (page: Page) => page.locator('main h3').first()
const said = (page: Page) => page.locator('main [role=status]').first()
const reviewOf = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Reviews' }).getByRole('link', { name })

async function openQueue(
  names: readonly string[],
  query = '',
): Promise<{ shop: Shop; page: Page }> {
  const shop = await desk().createShop()
  await addFlaggedOrders(desk(), shop.keys.live_secret, names)
  const member = await shop.join('member')
  const page = await desk().open(member, shop.org_id, `/reviews${query}`)
  await detail(page).waitFor()
  return { shop, page }
}

describe('with the keyboard alone', () => {
  it('three reviews are decided, one after the other, and the server has them', async () => {
    const { shop, page } = await openQueue(['first', 'second', 'third', 'fourth'])
    await page.getByText('0 decided, 4 open').waitFor()
    await detail(page).getByText('fourth').waitFor()
    await page
      .getByText(/^\d+ km from the last place/)
      .first()
      .waitFor()
    await page.keyboard.press('f')
    await detail(page).getByText('third').waitFor()
    expect(await said(page).innerText()).toMatch(/^Decided fraud: fourth\. Next: third, score \d+/)
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

  it('a decision is changed, and one goes on where one was', async () => {
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

  it('the keys are told, and do nothing below that window', async () => {
    const { shop, page } = await openQueue(['only'])
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keys of the review queue' })
    await help.waitFor()
    await page.keyboard.press('f')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    expect(await decided(shop)).toEqual(new Map())
    await page.keyboard.press('Control+l')
    expect(await decided(shop)).toEqual(new Map())
  })

  it('the arrows move as j and k do, and stop at the ends', async () => {
    const { page } = await openQueue(['first', 'second'])
    await page.keyboard.press('ArrowDown')
    await detail(page).getByText('first').waitFor()
    await page.keyboard.press('ArrowDown')
    await said(page).getByText('This is the last review.').waitFor()
    await page.keyboard.press('ArrowUp')
    await detail(page).getByText('second').waitFor()
    const focused = async () => await page.evaluate('document.activeElement.textContent')
    await expect.poll(focused).toBe('second')
    await page.keyboard.press('k')
    await said(page).getByText('This is the first review.').waitFor()
  })
})

describe('what is decided is what was seen', () => {
  it('a key that is held down decides one review', async () => {
    const { shop, page } = await openQueue(['first', 'second', 'third'])
    for (let times = 0; times < 5; times += 1) await page.keyboard.down('f')
    await page.keyboard.up('f')
    await detail(page).getByText('second').waitFor()
    await page.getByText('1 decided, 2 open').waitFor()
    expect([...(await decided(shop)).keys()]).toEqual(['third'])
  })

  it('what comes in above it does not take its place', async () => {
    const { shop, page } = await openQueue(['seen'])
    await addFlaggedOrders(desk(), shop.keys.live_secret, ['newer'])
    // Old enough to be read again when somebody comes back to the window.
    await page.clock.install({ time: Date.now() + 60_000 })
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
    await reviewOf(page, 'newer').waitFor()
    expect(await detail(page).innerText()).toBe('seen')
    await page.keyboard.press('l')
    await detail(page).getByText('newer').waitFor()
    await expect.poll(async () => [...(await decided(shop)).keys()]).toEqual(['seen'])
  })

  it('a note goes with the review that it was written about only, and waits there', async () => {
    const { shop, page } = await openQueue(['first', 'second'])
    await page.keyboard.press('n')
    await page.keyboard.type('About the second')
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    await detail(page).getByText('second').waitFor()
    expect(await page.getByLabel('Note').inputValue()).toBe('About the second')
    await page.keyboard.press('l')
    await page.getByText('All is decided').waitFor()
    await page.getByText('2 decided, 0 open').waitFor()
    expect(await decided(shop)).toEqual(
      new Map([
        ['second', ['legitimate', 'About the second']],
        ['first', ['confirmed_fraud', null]],
      ]),
    )
  })

  it('and not what somebody else has decided meanwhile', async () => {
    const { shop, page } = await openQueue(['first', 'second'])
    const id = new URL(page.url()).searchParams.get('review') ?? ''
    const { status } = await desk().call({
      method: 'POST',
      path: `/console/api/reviews/${id}/decision`,
      token: await desk().signIn(shop.org_id, 'member'),
      body: { org_id: shop.org_id, decision: 'legitimate' },
    })
    expect(status).toBe(200)
    await page.keyboard.press('f')
    await page.getByText('second was not decided: somebody else has decided it meanwhile').waitFor()
    await page.getByText('0 decided, 1 open').waitFor()
    expect(await reviewOf(page, 'second').count()).toBe(0)
    expect(await decided(shop)).toEqual(new Map([['second', ['legitimate', null]]]))
  })

  it('of one mode is nothing of the other', async () => {
    const { shop, page } = await openQueue(['first', 'second'])
    await addReview(desk().stores.db, shop.org_id, { mode: 'test', external_id: 'of test mode' })
    await page.keyboard.press('f')
    await page.getByText('1 decided, 1 open').waitFor()
    await page.getByLabel('Mode').selectOption('test')
    await detail(page).getByText('of test mode').waitFor()
    await page.getByText('0 decided, 1 open').waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('u')
    await said(page).getByText('Nothing was decided here yet.').waitFor()
    await page.getByLabel('Mode').selectOption('live')
    await detail(page).getByText('first').waitFor()
  })

  it('two decisions about one are sent one after the other', async () => {
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

describe('what the server refuses', () => {
  it('is taken back with its reason', async () => {
    const shop = await desk().createShop()
    // Of nothing that is still kept, so it cannot be decided.
    const { external_id } = await addReview(desk().stores.db, shop.org_id)
    await addFlaggedOrders(desk(), shop.keys.live_secret, ['kept'])
    const page = await desk().open(shop.owner, shop.org_id, '/reviews')
    await detail(page).getByText('kept').waitFor()
    await page.keyboard.press('j')
    await page.getByText('The order is no longer kept').waitFor()
    await page.keyboard.press('f')
    await page.getByText(`${external_id} was not decided: Not found`).waitFor()
    await reviewOf(page, external_id).waitFor()
    await page.getByText('0 decided, 2 open').waitFor()
    // The next key is meant for what is looked at.
    expect(await detail(page).innerText()).toBe('kept')
    expect(await said(page).innerText()).toContain('Not decided')
  })

  it('of another organisation does not exist', async () => {
    const other = await desk().createShop()
    const { id } = await addReview(desk().stores.db, other.org_id)
    const { page } = await openQueue(['mine'])
    const url = new URL(page.url())
    await page.goto(`${url.origin}${url.pathname}?review=${id}`)
    await page.getByText('This does not exist (any more)').waitFor()
  })
})

describe('the list', () => {
  it('is filtered and ordered by the address', async () => {
    const shop = await desk().createShop()
    const { db } = desk().stores
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
    const page = await desk().open(shop.owner, shop.org_id, '/reviews?order=highest')
    const names = async () =>
      await page.getByRole('navigation', { name: 'Reviews' }).locator('strong').allInnerTexts()
    await detail(page).getByText('high').waitFor()
    expect(await names()).toEqual(['high', 'middle', 'a', 'low'])
    await page.getByLabel('About').selectOption('Alerts')
    await page.getByText('Pattern over several orders: shared device').first().waitFor()
    await expect.poll(names).toEqual(['a'])
    expect(new URL(page.url()).searchParams.get('subject')).toBe('alert')
    await page.reload()
    await detail(page).getByText('a', { exact: true }).waitFor()
    await page.getByLabel('State').selectOption('Decided')
    await page.getByText('No review matches').waitFor()
    expect(await page.getByLabel('Order', { exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Mode').selectOption('test')
    await page.getByRole('button', { name: 'Show all open reviews' }).click()
    await detail(page).getByText('of the test mode').waitFor()
  })

  it('says that nothing waits', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/reviews')
    await page.getByText('Nothing waits for a review').waitFor()
    await expectAccessible(page)
    await expectFits(page)
  })
})

describe('a cashier action', () => {
  it('is explained by its signals and decided by pointer', async () => {
    const shop = await desk().createShop()
    await addShop(desk(), shop.keys.live_secret, { until: new Date(), days: 8 })
    const page = await desk().open(shop.owner, shop.org_id, '/reviews?subject=cashier_action')
    await page.getByRole('heading', { name: 'Why this score' }).waitFor()
    await page
      .getByText(/^Voids: .* of about \d+ transactions/)
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'thief', exact: true }).waitFor()
    await expectAccessible(page)
    await expectFits(page)
    const before = await decided(shop)
    await page.getByRole('button', { name: 'Legitimate' }).click()
    await said(page)
      .getByText(/^Decided legitimate: thief/)
      .waitFor()
    await expect.poll(async () => (await decided(shop)).size).toBe(before.size + 1)
    const { body } = await desk().call<ReviewCounts>({
      method: 'GET',
      path: `/console/api/reviews/counts?org_id=${shop.org_id}`,
      token: await desk().signIn(shop.org_id, 'member'),
    })
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
  await page.getByText('All is decided').waitFor()
  await page.getByLabel('State').selectOption('Decided')
  for (const text of HOSTILE) {
    await reviewOf(page, text).click()
    await detail(page).getByText(text, { exact: true }).waitFor()
    expect(await page.locator('main').getByText(text, { exact: true }).count()).toBeGreaterThan(2)
  }
  const reason = `Because ${HOSTILE[0]}`
  const { id } = await addReview(desk().stores.db, shop.org_id, { reason, flags: [HOSTILE[1]] })
  const url = new URL(page.url())
  await page.goto(`${url.origin}${url.pathname}?review=${id}`)
  await page.locator('main').getByText(reason).first().waitFor()
  await expectAccessible(page)
  await expectFits(page)
})
