/** Events that the SDK records, in a real browser. */
import { describe, expect, it, vi } from 'vitest'
import { type SentEvent, useSite } from './site.ts'
import { openPage, sent, settle, visit } from './visit.ts'

const PAGES = {
  '/': '<h1>Start</h1>',
  '/shop': `<main><h1>Shop</h1>
    <form id=login><input name=card value=4111111111111111>
    <button class="primary wide" type=button>Pay 12 Euro</button></form></main>
    <script>document.querySelector('button').onclick = () => {
      const until = performance.now() + 120
      while (performance.now() < until);
    }</script>`,
  '/shifting': `<p id=text>Text that is pushed down</p><script>
    setTimeout(() => {
      const bar = document.createElement('div')
      bar.style.height = '300px'
      document.body.prepend(bar)
      self.shifted = true
    }, 300)</script>`,
  '/data': '{}',
}

const isVital =
  (name: string) =>
  ({ vital }: SentEvent): boolean =>
    vital?.name === name

describe('the recording of a page', () => {
  const { site, browser, sentEvents } = useSite(PAGES)

  it('has its view, without the query of its address', async () => {
    const { page, close } = await visit(browser(), site(), '/shop?card=4111#top')
    const { view } = await sent(page, site(), ({ type }) => type === 'view')
    expect(view).toEqual({ name: '/shop', url: site().url('/shop') })
    expect(JSON.stringify(sentEvents())).not.toContain('card=')
    await close()
  })

  it('has the views that its script creates, and those of going back', async () => {
    const { page, close } = await visit(browser(), site(), '/shop')
    await page.evaluate(`history.pushState({}, '', '/shop/cart?id=7')`)
    await page.evaluate(`history.replaceState({}, '', '/shop/cart?id=8')`)
    await page.evaluate('history.back()')
    await settle(page)
    await page.evaluate(`location.hash = '#/help?from=cart'`)
    await settle(page)
    await page.evaluate(`rum.view('Help')`)
    await sent(page, site(), ({ view }) => view?.name === 'Help')
    expect(sentEvents('view').map(({ view }) => view)).toEqual([
      { name: '/shop', url: site().url('/shop') },
      { name: '/shop/cart', url: site().url('/shop/cart'), referrer: site().url('/shop') },
      { name: '/shop', url: site().url('/shop'), referrer: site().url('/shop/cart') },
      { name: '/shop#/help', url: site().url('/shop#/help'), referrer: site().url('/shop') },
      { name: 'Help', url: site().url('/shop#/help'), referrer: site().url('/shop#/help') },
    ])
    await close()
  })

  it('has TTFB, FCP, LCP and a CLS of 0, each with its page', async () => {
    const { page, close } = await visit(browser(), site(), '/')
    for (const name of ['TTFB', 'FCP', 'LCP', 'CLS']) await sent(page, site(), isVital(name))
    const vitals = sentEvents('vital')
    const valueOf = (name: string) => vitals.find(isVital(name))?.vital?.value ?? Number.NaN
    expect(valueOf('TTFB')).toBeGreaterThan(0)
    expect(valueOf('FCP')).toBeGreaterThan(valueOf('TTFB'))
    expect(valueOf('LCP')).toBeGreaterThanOrEqual(valueOf('FCP'))
    expect(valueOf('CLS')).toBe(0)
    expect(vitals.map(({ view }) => view?.name)).toEqual(vitals.map(() => '/'))
    await close()
  })

  it('has a layout shift under the same id as the CLS before', async () => {
    const { page, close } = await visit(browser(), site(), '/shifting')
    await sent(page, site(), isVital('CLS'))
    const after = await sent(
      page,
      site(),
      (event) => isVital('CLS')(event) && event.vital?.value !== 0,
    )
    expect(after.vital?.value).toBeGreaterThan(0.01)
    expect(after.vital?.value).toBeLessThan(1)
    const ids = sentEvents().flatMap(({ vital }) => (vital?.name === 'CLS' ? [vital.id] : []))
    expect(new Set(ids).size).toBe(1)
    await close()
  })

  it('has a slow click as INP, action and long task, without texts or values', async () => {
    const { page, close } = await visit(browser(), site(), '/shop')
    await page.click('button')
    const inp = await sent(page, site(), isVital('INP'))
    expect(inp.vital?.value).toBeGreaterThanOrEqual(120)
    const { action } = await sent(page, site(), ({ type }) => type === 'action')
    expect(action).toEqual({ type: 'click', target: 'form#login > button.primary.wide' })
    const { long_task } = await sent(page, site(), ({ type }) => type === 'long_task')
    expect(long_task?.duration_ms).toBeGreaterThanOrEqual(120)
    expect(JSON.stringify(sentEvents())).not.toMatch(/4111|Euro/)
    await close()
  })

  it('has uncaught errors and rejections, repeated ones of a burst once', async () => {
    const { page, close } = await visit(browser(), site(), '/')
    await page.evaluate(`for (let i = 0; i < 20; i++) {
      setTimeout(function sell() { throw new TypeError('no till') })
    }`)
    await page.evaluate(`void Promise.reject(new RangeError('too far'))`)
    await page.evaluate(`void Promise.reject('only text')`)
    await page.evaluate(`rum.error(Object.assign(new Error('reported'), { name: 'OwnError' }))`)
    await sent(page, site(), ({ error }) => error?.message === 'reported')
    expect(sentEvents('error').map(({ error }) => [error?.type, error?.message])).toEqual(
      expect.arrayContaining([
        ['TypeError', 'no till'],
        ['RangeError', 'too far'],
        [undefined, 'only text'],
        ['OwnError', 'reported'],
      ]),
    )
    expect(sentEvents('error')).toHaveLength(4)
    const thrown = sentEvents('error').find(({ error }) => error?.message === 'no till')
    expect(thrown?.error?.stack).toContain('sell')
    await close()
  })

  it('has requests without their query, and none of the SDK', async () => {
    const { page, close } = await visit(browser(), site(), '/')
    await page.evaluate(`fetch('/data?token=secret').then((it) => it.text())`)
    await page.evaluate(`fetch('/nothing').then((it) => it.text())`)
    await page.evaluate('rum.flush()')
    await settle(page)
    await page.evaluate(`fetch('/data').then((it) => it.text())`)
    await sent(page, site(), ({ resource }) => resource?.url === site().url('/nothing'))
    await settle(page)
    await page.evaluate('rum.flush()')
    await vi.waitFor(() => {
      const urls = sentEvents('resource').map(({ resource }) => resource?.url)
      expect(urls.filter((url) => url === site().url('/data'))).toHaveLength(2)
    })
    const resources = sentEvents('resource').map(({ resource }) => resource)
    const urls = resources.map((one) => one?.url)
    expect(urls).toContain(site().url('/vigil-rum.js'))
    expect(urls.filter((url) => url?.startsWith(site().baseUrl))).toEqual([])
    expect(resources.find((one) => one?.url === site().url('/nothing'))?.status).toBe(404)
    expect(JSON.stringify(sentEvents())).not.toContain('secret')
    await close()
  })

  it('has one session for all pages and tabs of a visitor, and another for another visitor', async () => {
    const first = await visit(browser(), site(), '/')
    await sent(first.page, site(), ({ type }) => type === 'view')
    await first.page.goto(site().url('/shop'))
    await sent(first.page, site(), ({ view }) => view?.name === '/shop')
    const tab = await openPage(first.context, site(), '/data')
    await sent(tab, site(), ({ view }) => view?.name === '/data')
    expect(new Set(site().received.map(({ session }) => session)).size).toBe(1)
    expect(sentEvents('session_start')).toHaveLength(1)
    const other = await visit(browser(), site(), '/')
    await vi.waitFor(async () => {
      await other.page.evaluate('rum.flush()')
      expect(sentEvents('session_start')).toHaveLength(2)
    })
    expect(new Set(site().received.map(({ session }) => session)).size).toBe(2)
    await first.close()
    await other.close()
  })

  it('has a new session with the view of the page after 15 minutes of inactivity', async () => {
    const { page, close } = await visit(browser(), site(), '/shop')
    await sent(page, site(), ({ type }) => type === 'view')
    await page.evaluate(`for (const key of Object.keys(localStorage)) {
      if (!key.endsWith(':session')) continue
      const session = JSON.parse(localStorage[key])
      const ago = 15 * 60000
      localStorage[key] = JSON.stringify(
        { ...session, started: session.started - ago, active: session.active - ago })
    }`)
    await page.evaluate(`fetch('/data')`)
    await settle(page)
    await page.evaluate(`rum.log('info', 'back')`)
    const log = await sent(page, site(), ({ type }) => type === 'log')
    expect(log.log).toEqual({ level: 'info', message: 'back' })
    expect(sentEvents('session_end')).toHaveLength(1)
    expect(sentEvents('session_start')).toHaveLength(2)
    const [before, after] = [...new Set(site().received.map(({ session }) => session))]
    const typesOf = (id: string | undefined) =>
      site().received.flatMap(({ session, events }) =>
        session === id ? events.map(({ type }) => type) : [],
      )
    expect(typesOf(before)).toContain('session_end')
    expect(typesOf(after).slice(0, 3)).toEqual(['session_start', 'view', 'log'])
    await close()
  })

  it('counts a page that comes back from the back/forward cache as another load', async () => {
    const { page, close } = await visit(browser(), site(), '/')
    await sent(page, site(), isVital('LCP'))
    // A remote-controlled browser has no back/forward cache, so the test dispatches its event.
    await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
    await vi.waitFor(async () => {
      await page.evaluate('rum.flush()')
      const loads = sentEvents('vital').filter(isVital('FCP'))
      expect(new Set(loads.map(({ vital }) => vital?.id)).size).toBe(2)
    })
    expect(sentEvents('view').map(({ view }) => view?.name)).toEqual(['/', '/'])
    await close()
  })
})
