/**
 * The SDK with the built service, on two origins as in production: the service returns each event of a
 * visit once, whether it was sent by a request or by the beacon of a closed page.
 */
import type { Browser, BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../e2e/free-port.ts'
import {
  createRoom,
  isLinux,
  type Room,
  type RunOptions,
  type Service,
  serve,
} from '../e2e/program.ts'
import { signIn } from '../e2e/reviewer.ts'
import { launchChromium } from './chromium.ts'
import { type SentEvent, type Site, startSite } from './site.ts'
import { settle } from './visit.ts'

/** An event that the SDK put into a batch, with a number that the page added. */
type NumberedEvent = SentEvent & { number: number }
type Timeline = {
  events: number
  views: number
  actions: number
  errors: number
  device_class: string | null
  first_page: string
  last_page: string
  timeline: { type: string; page: string; timestamp: string; event: NumberedEvent }[]
}
type VitalNumbers = { name: string; p75: number; samples: number }
type ErrorGroup = {
  error_type: string
  message: string
  count: number
  affected_sessions: number
  pages: string[]
}
type Mode = 'live' | 'test'
type Usage = {
  sessions_this_month: number
  events_this_month: number
  credits_used_this_month: number
}

const PAGES = {
  '/shop': `<h1>Shop</h1><form id=login><button type=button class=primary>Buy</button></form>
    <script>document.querySelector('button').onclick = () => fetch('/data?card=4111')</script>`,
  '/orders/4711': '<h1>Order</h1><a id=back>Back</a>',
  '/data': '{}',
  '/other': '',
}
/** The user agent of headless Chromium would be classified as a bot. */
const VISITOR = {
  userAgent: 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/147.0.0.0 Safari/537.36',
}
const TIMEOUT_MS = 60_000
const EVENTS = '**/v1/rum/events*'
const WAIT = { timeout: 30_000, interval: 200 }

describe.skipIf(!isLinux)('a visit to a site that uses the service', () => {
  let room: Room | undefined
  let options: RunOptions
  let service: Service
  let first: NonNullable<Service['ready']['first_run']>
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    room = createRoom()
    options = {
      cwd: room.folder,
      env: {
        VIGIL_PORT: `${await freePort()}`,
        // Batches of a killed service are sent again when their lease ends, shortly after this time.
        VIGIL_SPOOL_FLUSH_DEADLINE_MS: '1000',
      },
    }
    service = await serve(options)
    if (!service.ready.first_run) throw new Error('it was not the first start')
    first = service.ready.first_run
    site = await startSite(PAGES)
    browser = await launchChromium()
  })
  afterAll(async () => {
    await room?.close()
    await browser.close()
    await site.close()
  })

  it('is returned completely, each event once', { timeout: TIMEOUT_MS }, async () => {
    const faults: string[] = []
    const context = await browser.newContext(VISITOR)
    const firstPage = await open(context, 'live', '/shop', faults)
    await useTheShop(firstPage)
    const answer = await flush(firstPage)
    expect(answer).toEqual({ status: 200, received: answer.processed, processed: answer.received })
    await firstPage.evaluate(`rum.log('warn', 'left in a hurry'); rum.action('scroll', 'footer')`)
    await leave(firstPage)

    const secondPage = await open(context, 'live', '/orders/4711', faults)
    await secondPage.click('#back')
    await settle(secondPage)
    await flush(secondPage)
    await secondPage.evaluate(`rum.error(new RangeError('too many'))`)
    await leave(secondPage)

    const { recorded, session, waiting } = await storageOf(context, 'live')
    const read = await reader('live')
    const found = await vi.waitFor(async () => {
      const one = await read<Timeline>(`sessions/${session}`)
      if (one.events < recorded.length)
        throw new Error(`${one.events} of ${recorded.length} events`)
      return one
    }, WAIT)
    expect(waiting).toBeNull()
    expect(faults).toEqual([])
    expect(found.timeline.map(({ event }) => event).toSorted(byNumber)).toEqual(recorded)
    expect(found).toMatchObject({
      events: recorded.length,
      views: 3,
      actions: 3,
      errors: 2,
      device_class: 'desktop',
      first_page: '/shop',
      last_page: '/orders/*',
    })
    expect(found.timeline.every(({ timestamp, event }) => timestamp === event.timestamp)).toBe(true)
    expect(recorded.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['session_start', 'view', 'action', 'resource', 'vital', 'log']),
    )
    expect(JSON.stringify(found)).not.toMatch(/4111|token/)

    const { overall } = await read<{ overall: VitalNumbers[] }>('vitals')
    expect(overall.map(({ name, p75, samples }) => ({ name, p75, samples }))).toEqual(
      vitalsOf(recorded),
    )
    expect(await read<ErrorGroup[]>('errors')).toEqual([
      expect.objectContaining({ ...ONE_ERROR, error_type: 'RangeError', pages: ['/orders/*'] }),
      expect.objectContaining({ ...ONE_ERROR, error_type: 'TypeError', pages: ['/cart'] }),
    ])
    expect(await usage()).toEqual({
      sessions_this_month: 1,
      events_this_month: recorded.length,
      credits_used_this_month: 0,
    })
    await context.close()
  })

  it('sends 200 KB in a row at the first attempt', { timeout: TIMEOUT_MS }, async () => {
    const faults: string[] = []
    const context = await browser.newContext(VISITOR)
    const page = await open(context, 'test', '/shop', faults)
    page.on('requestfailed', (request) => faults.push(request.url()))
    await page.evaluate(
      `for (let n = 0; n < 100; n++) rum.log('info', 'message ' + n + 'x'.repeat(1900))`,
    )
    await page.evaluate('rum.flush()')
    const { session } = await storageOf(context, 'test')
    const read = await reader('test')
    await vi.waitFor(async () => {
      const { timeline } = await read<Timeline>(`sessions/${session}`)
      expect(timeline.filter(({ type }) => type === 'log')).toHaveLength(100)
    }, WAIT)
    expect(faults).toEqual([])
    await context.close()
  })

  it('is returned once when a response was lost and the service was killed', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const context = await browser.newContext(VISITOR)
    const page = await open(context, 'test', '/shop', [])
    const bodies: (string | null)[] = []
    page.on('request', (request) => bodies.push(request.postData()))
    const stored = await loseResponse(page)
    await service.stop('SIGKILL')
    await page.evaluate(`rum.log('info', 'offline'); rum.flush()`)
    await settle(page)
    service = await serve(options)
    await page.evaluate(`rum.log('info', 'after'); rum.flush()`)

    const { session } = await storageOf(context, 'test')
    const read = await reader('test')
    await vi.waitFor(async () => {
      const { recorded } = await storageOf(context, 'test')
      const { timeline } = await read<Timeline>(`sessions/${session}`)
      expect(recorded.flatMap(({ log }) => log?.message ?? [])).toEqual([
        'before',
        'offline',
        'after',
      ])
      expect(timeline.map(({ event }) => event).toSorted(byNumber)).toEqual(recorded)
    }, WAIT)
    expect(stored).toContain('before')
    expect(bodies.filter((body) => body === stored).length).toBeGreaterThan(1)
    await context.close()
  })

  /** Stores the events of the SDK in the storage of the browser, where they outlive the page. */
  async function open(
    context: BrowserContext,
    mode: Mode,
    path: string,
    faults: string[],
  ): Promise<Page> {
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    await page.addInitScript(`addEventListener('DOMContentLoaded', () => {
      self.rum = VigilRum.init({
        base_url: '${service.ready.url}',
        api_key: '${first.keys[`${mode}_public`]}',
        beforeSend: (event) => {
          const recorded = JSON.parse(localStorage.recorded ?? '[]')
          recorded.push({ ...event, number: recorded.length })
          localStorage.recorded = JSON.stringify(recorded)
          return recorded.at(-1)
        },
      })
    })`)
    await page.goto(site.url(`${path}?token=secret`))
    return page
  }

  /** Reads the storage of the visitor from a page without the SDK. */
  async function storageOf(context: BrowserContext, mode: Mode) {
    const page = await context.newPage()
    await page.goto(site.url('/other'))
    const stored = (await page.evaluate('({ ...localStorage })')) as Record<string, string>
    await page.close()
    const name = `vigil:${first.keys[`${mode}_public`]}`
    return {
      recorded: JSON.parse(stored['recorded'] ?? '[]') as NumberedEvent[],
      session: (JSON.parse(stored[`${name}:session`] ?? '{}') as { id: string }).id,
      /** Events that the next page would send. */
      waiting: stored[`${name}:queue`] ?? null,
    }
  }

  async function reader(mode: Mode) {
    const token = await signIn(service.ready.url, first)
    const root = `${service.ready.url.replace(/v1$/, 'console/api')}/rum`
    const query = `org_id=${first.org_id}&mode=${mode}`
    return async <T>(path: string): Promise<T> =>
      await getContent<T>(`${root}/${path}?${query}`, { authorization: `Bearer ${token}` })
  }

  const usage = async (): Promise<Usage> =>
    await getContent<Usage>(`${service.ready.url}/rum/usage`, {
      'x-api-key': first.keys.live_secret,
    })
})

/** Causes a click with a request, a view created by a script and an uncaught error. */
async function useTheShop(page: Page): Promise<void> {
  await page.click('button')
  await settle(page)
  await page.evaluate(`history.pushState({}, '', '/cart?token=secret')`)
  await page.evaluate(`setTimeout(function sell() { throw new TypeError('no till') })`)
  await settle(page)
}

/** Resolves when the page has run its unload handlers. */
async function leave(page: Page): Promise<void> {
  const closed = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closed
}

/** The response of the service, as scripts of the page can read it. */
async function flush(page: Page) {
  const answered = page.waitForResponse((one) => one.url().includes('/v1/rum/events'))
  await page.evaluate('rum.flush()')
  const answer = await answered
  const { content } = (await answer.json()) as { content: { received: number; processed: number } }
  await settle(page)
  return { status: answer.status(), ...content }
}

/** Returns the body of a batch that the service has stored although the page received no response. */
async function loseResponse(page: Page): Promise<string> {
  const failed = page.waitForEvent('requestfailed')
  const lose = async (route: Route): Promise<void> => {
    const answer = await route.fetch()
    expect(answer.status()).toBe(200)
    await route.abort()
  }
  await page.route(EVENTS, lose, { times: 1 })
  await page.evaluate(`rum.log('info', 'before'); rum.flush()`)
  return (await failed).postData() ?? ''
}

const ONE_ERROR = { count: 1, affected_sessions: 1 }

const byNumber = (a: NumberedEvent, b: NumberedEvent): number => a.number - b.number

/** The 75th percentile with linear interpolation, over the last value of each id. */
function vitalsOf(recorded: readonly NumberedEvent[]): VitalNumbers[] {
  const last = new Map(recorded.flatMap(({ vital }) => (vital ? [[vital.id, vital] as const] : [])))
  const names = [...new Set([...last.values()].map(({ name }) => name))].toSorted()
  return names.map((name) => {
    const values = [...last.values()]
      .filter((one) => one.name === name)
      .map(({ value }) => value)
      .toSorted((a, b) => a - b)
    const place = 0.75 * (values.length - 1)
    const below = values[Math.floor(place)] ?? Number.NaN
    const above = values[Math.ceil(place)] ?? Number.NaN
    const p75 = below + (above - below) * (place - Math.floor(place))
    return { name, p75: expect.closeTo(p75, 6) as number, samples: values.length }
  })
}

async function getContent<T>(url: string, headers: Record<string, string>): Promise<T> {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text.slice(0, 300)}`)
  return (JSON.parse(text) as { content: T }).content
}
