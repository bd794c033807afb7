/**
 * Looks for slow pages of the console on a large demo, and prints the ten slowest with their slowest requests, the
 * time that searches take, and that from an interaction to the next paint. `LARGE_SCALE` is the share of the full
 * size (0.01), and `LARGE_FOLDER` a folder that is filled once and used again. Times are printed and not asserted,
 * because they depend on the machine.
 */
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { type DemoProcess, startDemo } from '../console/demo.ts'
import { settle, tour } from '../console/tour.ts'
import { INTERACTIONS, OBSERVE_INTERACTIONS, printInteractions } from './interactions.ts'

const SCALE = Number(process.env['LARGE_SCALE'] ?? '0.01')
const FOLDER = process.env['LARGE_FOLDER']
const SLOWEST = 10
const SEARCHES = 20
const P95 = 0.95

type Timed = { name: string; ms: number }
type Visit = { path: string; ms: number; requests: Timed[]; failed: string[] }

let demo: DemoProcess
let browser: Browser
beforeAll(async () => {
  demo = await startDemo(SCALE, { size: 'large', folder: FOLDER })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await demo?.close()
})

it('answers every page, and prints the slowest', async () => {
  const page = await demo.signIn(browser)
  const visits: Visit[] = []
  // A page is opened again, so that its time is that of its data and not of its scripts.
  await tour(page, demo.base, async ({ path }) => {
    visits.push(await visit(page, path))
  })
  const slowest = visits.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)
  const lines = slowest.map(({ path, ms, requests }) => {
    const [request] = requests.toSorted((a, b) => b.ms - a.ms)
    return `${ms.toFixed(0).padStart(6)} ms  ${path}  (${request?.ms.toFixed(0)} ms ${request?.name})`
  })
  console.log(['the slowest pages:', ...lines].join('\n'))
  expect(visits.flatMap(({ failed }) => failed)).toEqual([])
})

async function visit(page: Page, path: string): Promise<Visit> {
  const requests: Timed[] = []
  const failed: string[] = []
  const pending: Promise<void>[] = []
  const onFinished = (request: Request) => {
    const { pathname, search } = new URL(request.url())
    if (!pathname.startsWith('/console/api/')) return
    const name = `${request.method()} ${pathname}${search}`
    requests.push({ name, ms: request.timing().responseEnd })
    pending.push(
      request.response().then((response) => {
        if ((response?.status() ?? 0) >= 500) failed.push(`${path}: ${response?.status()} ${name}`)
      }),
    )
  }
  page.on('requestfinished', onFinished)
  const begun = performance.now()
  await page.goto(demo.base + path)
  await settle(page)
  const ms = performance.now() - begun
  page.off('requestfinished', onFinished)
  await Promise.all(pending)
  return { path, ms, requests, failed }
}

it('finds by each kind of text, and prints how long it takes', async () => {
  const page = await demo.signIn(browser)
  const headers = { 'x-vigil-console': '1', authorization: `Bearer ${await accessToken(page)}` }
  const get = async <Row>(path: string, list: string): Promise<Row[]> => {
    const answer = await page.request.get(
      `${demo.origin}/console/api/${path}&org_id=${demo.org_id}`,
      { headers },
    )
    const { content } = (await answer.json()) as { content: Record<string, Row[]> }
    return content[list] ?? []
  }
  const search = async (text: string): Promise<{ ms: number; hits: number }> => {
    const begun = performance.now()
    const answer = await page.request.post(`${demo.origin}/console/api/search`, {
      headers,
      data: { org_id: demo.org_id, mode: 'live', text },
    })
    const { content } = (await answer.json()) as { content: { groups: { hits: unknown[] }[] } }
    return {
      ms: performance.now() - begun,
      hits: content.groups.flatMap(({ hits }) => hits).length,
    }
  }
  const orders = await get<{ external_order_id: string }>('orders?limit=100', 'orders')
  const names = orders.map(({ external_order_id }) => external_order_id)
  const texts: Record<string, string[]> = {
    'start of an order': names.map((name) => name.slice(0, 8)),
    'middle of an order': names.map((name) => name.slice(3, 9)),
  }
  for (const [kind, all] of Object.entries(texts)) {
    const results = []
    for (const text of all.slice(0, SEARCHES)) results.push(await search(text))
    const times = results.map(({ ms }) => ms).toSorted((a, b) => a - b)
    const p95 = times[Math.floor(times.length * P95)] ?? times.at(-1) ?? 0
    console.log(
      `${kind}: p95 ${p95.toFixed(0)} ms, ${results.filter(({ hits }) => hits > 0).length} found`,
    )
    expect(results.every(({ hits }) => hits > 0)).toBe(true)
  }
})

async function accessToken(page: Page): Promise<string> {
  const answer = await page.request.post(`${demo.origin}/console/api/auth/refresh`, {
    headers: { 'x-vigil-console': '1' },
    data: {},
  })
  const { content } = (await answer.json()) as { content: { access_token: string } }
  return content.access_token
}

describe('the time from an interaction to the next paint', () => {
  let page: Page
  beforeAll(async () => {
    page = await demo.signIn(browser)
    await page.context().addInitScript(OBSERVE_INTERACTIONS)
  })

  it.each(INTERACTIONS)('is measured on %s', async (path, act) => {
    await page.goto(demo.base + path)
    await settle(page)
    await act(page)
    await printInteractions(page, path)
  })
})
