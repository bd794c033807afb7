/** Real user monitoring: web vitals, errors and sessions from ingestion to the pages. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { RumSession } from '../../src/modules/rum/reading/schema.ts'
import { HOUR_MS } from '../../src/platform/time-units.ts'
import {
  expectAccessible,
  expectFits,
  expectUsable,
  HOSTILE,
  type Organization,
  useConsole,
} from './harness.ts'

const harness = useConsole()

type Event = Record<string, unknown> & { type: string }

/** Sends RUM events that started `hours` ago. */
async function send(
  key: string,
  session_id: string,
  events: readonly Event[],
  hours = 1,
): Promise<void> {
  const start = Date.now() - hours * HOUR_MS
  const body = {
    session_id,
    events: events.map((event, index) => ({ timestamp: start + index * 1000, ...event })),
  }
  const request = { method: 'POST', path: '/v1/rum/events', key, body } as const
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140' }
  expect((await harness().call({ ...request, headers })).status).toBe(200)
}

async function untilReadable({ org_id }: Organization, sessions: number): Promise<void> {
  const token = await harness().signIn(org_id, 'member')
  const path = `/console/api/rum/sessions?org_id=${org_id}`
  await vi.waitFor(
    async () => {
      const { body } = await harness().call<RumSession[]>({ method: 'GET', path, token })
      expect(body.content).toHaveLength(sessions)
    },
    { timeout: 20_000, interval: 100 },
  )
}

const at = (path: string) => ({ name: 'A page', url: `https://shop.example${path}` })
const vital = (name: string, value: number, path: string) => ({
  type: 'vital',
  view: at(path),
  vital: { name, value },
})
const ERROR = {
  type: 'TypeError',
  message: "Cannot read properties of undefined (reading 'price')",
  stack: 'TypeError: …\n    at total (https://shop.example/app.js:3:1204)',
}

let shop: Organization
beforeAll(async () => {
  shop = await harness().createOrganization()
  const key = shop.keys.live_public
  await send(
    key,
    'first/1',
    [
      { type: 'session_start' },
      { type: 'view', view: at('/cart') },
      ...[1000, 2000, 3000, 5000, 5200].map((value) => vital('LCP', value, '/cart')),
      vital('CLS', 0.02, '/cart'),
      { type: 'action', view: at('/cart'), action: { type: 'click', target: '#buy' } },
      { type: 'error', view: at('/cart'), error: ERROR },
    ],
    10,
  )
  await send(key, 'second', [
    { type: 'view', view: at('/products/42') },
    vital('LCP', 900, '/products/42'),
    { type: 'error', view: at('/products/42'), error: ERROR },
  ])
  await untilReadable(shop, 2)
})

const openTab = async (page: Page, name: string) =>
  await page
    .getByRole('navigation', { name: 'Real user monitoring' })
    .getByRole('link', { name, exact: true })
    .click()

describe('a member', () => {
  it('reads the vitals of a page and follows them to a session and its timeline', async () => {
    const page = await harness().open(await shop.join('member'), shop.org_id, '/')
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Real user monitoring' })
      .click()
    const lcp = page.getByRole('listitem', { name: /^LCP/ })
    await lcp.getByText('4.5 s').waitFor()
    await lcp.getByText('50% good, 16.7% needs improvement, 33.3% poor').waitFor()
    await lcp.getByText('Good up to 2.5 s, poor above 4 s').waitFor()
    await page.getByRole('figure').getByText('Show as table').first().waitFor()
    await expectUsable(page)
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: '/cart' }) })
    await row.getByText('5 s').first().waitFor()
    await row.getByRole('link', { name: '/cart' }).click()
    await page.getByRole('heading', { level: 1, name: '/cart' }).waitFor()
    await page.getByRole('listitem', { name: /^LCP/ }).getByText('5 s').first().waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'first/1' }).click()
    await page.getByRole('heading', { level: 1, name: 'first/1' }).waitFor()
    await page.getByText('TypeError · Cannot read properties of undefined').waitFor()
    await page.getByText('click · #buy').waitFor()
    expect(await page.locator('main ol > li').count()).toBe(10)
    await page.getByRole('listitem').filter({ hasText: 'click' }).getByText('Details').click()
    await page.getByRole('region', { name: 'Event action' }).getByText('"target": "#buy"').waitFor()
    await expectUsable(page)
    await page.getByLabel('Events').selectOption('vital')
    await expect.poll(async () => await page.locator('main ol > li').count()).toBe(6)
    expect(new URL(page.url()).searchParams.get('type')).toBe('vital')
  })

  it('reads error groups, one of them with its stack trace and sessions', async () => {
    const page = await harness().open(shop.owner, shop.org_id, '/rum/errors?range=24h')
    const errors = page.getByRole('region', { name: 'Errors' })
    await errors.getByRole('cell', { name: '2', exact: true }).first().waitFor()
    await expectUsable(page)
    await errors.getByRole('link', { name: 'TypeError' }).click()
    await page.getByRole('region', { name: 'Stack trace' }).getByText('at total').waitFor()
    await page
      .getByRole('region', { name: 'Sessions' })
      .getByRole('link', { name: 'second' })
      .waitFor()
    expect(new URL(page.url()).searchParams.get('range')).toBe('24h')
    await expectUsable(page)
    await page
      .getByRole('region', { name: 'Sessions' })
      .getByRole('link', { name: 'first/1' })
      .click()
    await page.getByRole('heading', { level: 1, name: 'first/1' }).waitFor()
  })

  it('keeps period, device and mode in the address', async () => {
    const page = await harness().open(shop.owner, shop.org_id, '/rum')
    await page.getByLabel('Device').selectOption('Mobile')
    await page.getByText('No web vitals in this period').waitFor()
    await page.getByLabel('Device').selectOption('Desktop')
    await page.getByRole('listitem', { name: /^LCP/ }).getByText('4.5 s').waitFor()
    await page.getByLabel('Period', { exact: true }).selectOption('Last 24 hours')
    await openTab(page, 'Pages')
    await page.getByRole('link', { name: '/products/*' }).waitFor()
    expect(new URL(page.url()).searchParams.get('range')).toBe('24h')
    await page.reload()
    await page.getByRole('link', { name: '/products/*' }).waitFor()
    await expectUsable(page)
    await openTab(page, 'Sessions')
    await page.getByRole('link', { name: 'second' }).waitFor()
    await expectUsable(page)
    await page.getByLabel('Mode').selectOption('test')
    await page.getByText('No sessions in this period').waitFor()
  })
})

it('shows nothing of another organization', async () => {
  const { page, ...other } = await harness().openNew('/rum/session?id=second')
  await page.getByText('Not found').waitFor()
  await page.goto(`${harness().origin}/console/o/${other.org_id}/rum`)
  await page.getByText('No web vitals in this period').waitFor()
  await expectAccessible(page)
})

it('shows hostile sessions, pages, errors and events as text', async () => {
  const hostile = await harness().createOrganization()
  for (const text of HOSTILE) {
    await send(hostile.keys.live_public, text, [
      { type: 'view', view: { name: text } },
      { type: 'vital', view: { name: text }, vital: { name: 'LCP', value: 100 } },
      { type: 'error', view: { name: text }, error: { type: text, message: text, stack: text } },
      { type: 'action', view: { name: text }, action: { type: text, target: text } },
      { type: 'log', view: { name: text }, log: { level: text, message: text } },
    ])
  }
  await untilReadable(hostile, HOSTILE.length)
  const base = `${harness().origin}/console/o/${hostile.org_id}`
  const page = await harness().open(hostile.owner, hostile.org_id, '/rum')
  for (const path of ['/rum', '/rum/pages', '/rum/sessions']) {
    await page.goto(base + path)
    for (const text of HOSTILE) await page.getByRole('link', { name: text, exact: true }).waitFor()
    await expectFits(page)
  }
  for (const text of HOSTILE) {
    await page.goto(`${base}/rum/sessions`)
    await page.getByRole('link', { name: text, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor()
    await page.getByText(`${text} · ${text}`, { exact: true }).first().waitFor()
    await expectFits(page)
    await page.goto(`${base}/rum/errors`)
    await page.getByRole('link', { name: text, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor()
    await page
      .getByRole('region', { name: 'Stack trace' })
      .getByText(text, { exact: true })
      .waitFor()
    await expectFits(page)
    await page.getByRole('link', { name: text, exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor()
  }
})
