/** What the SDK records of a page, in a real browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { launchChromium } from './chromium.ts'
import { type SentEvent, type Site, startSite } from './site.ts'
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

describe('recorded of a page', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await startSite(PAGES)
    browser = await launchChromium()
  })
  beforeEach(() => site.reset())
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  it('is its view, without the query of its address', async () => {
    const { page, close } = await visit(browser, site, '/shop?card=4111#top')
    const { view } = await sent(page, site, ({ type }) => type === 'view')
    expect(view).toEqual({ name: '/shop', url: site.url('/shop') })
    expect(JSON.stringify(site.events())).not.toContain('card=')
    await close()
  })

  it('are the views that its script makes, and the way back', async () => {
    const { page, close } = await visit(browser, site, '/shop')
    await page.evaluate(`history.pushState({}, '', '/shop/cart?id=7')`)
    await page.evaluate(`history.replaceState({}, '', '/shop/cart?id=8')`)
    await page.evaluate('history.back()')
    await settle(page)
    await page.evaluate(`location.hash = '#/help?from=cart'`)
    await settle(page)
    await page.evaluate(`rum.view('Help')`)
    await sent(page, site, ({ view }) => view?.name === 'Help')
    expect(site.events('view').map(({ view }) => view)).toEqual([
      { name: '/shop', url: site.url('/shop') },
      { name: '/shop/cart', url: site.url('/shop/cart'), referrer: site.url('/shop') },
      { name: '/shop', url: site.url('/shop'), referrer: site.url('/shop/cart') },
      { name: '/shop#/help', url: site.url('/shop#/help'), referrer: site.url('/shop') },
      { name: 'Help', url: site.url('/shop#/help'), referrer: site.url('/shop#/help') },
    ])
    await close()
  })

  it('are TTFB, FCP, LCP and a CLS of 0, each with the page where they belong', async () => {
    const { page, close } = await visit(browser, site, '/')
    for (const name of ['TTFB', 'FCP', 'LCP', 'CLS']) await sent(page, site, isVital(name))
    const vitals = site.events('vital')
    const valueOf = (name: string) => vitals.find(isVital(name))?.vital?.value ?? Number.NaN
    expect(valueOf('TTFB')).toBeGreaterThan(0)
    expect(valueOf('FCP')).toBeGreaterThan(valueOf('TTFB'))
    expect(valueOf('LCP')).toBeGreaterThanOrEqual(valueOf('FCP'))
    expect(valueOf('CLS')).toBe(0)
    expect(vitals.map(({ view }) => view?.name)).toEqual(vitals.map(() => '/'))
    await close()
  })

  it('is the layout that shifts, under the id that CLS had before', async () => {
    const { page, close } = await visit(browser, site, '/shifting')
    await sent(page, site, isVital('CLS'))
    const after = await sent(
      page,
      site,
      (event) => isVital('CLS')(event) && event.vital?.value !== 0,
    )
    expect(after.vital?.value).toBeGreaterThan(0.01)
    expect(after.vital?.value).toBeLessThan(1)
    const ids = site.events().flatMap(({ vital }) => (vital?.name === 'CLS' ? [vital.id] : []))
    expect(new Set(ids).size).toBe(1)
    await close()
  })

  it('is the click that took long, as INP, action and long task, without text or values', async () => {
    const { page, close } = await visit(browser, site, '/shop')
    await page.click('button')
    const inp = await sent(page, site, isVital('INP'))
    expect(inp.vital?.value).toBeGreaterThanOrEqual(120)
    const { action } = await sent(page, site, ({ type }) => type === 'action')
    expect(action).toEqual({ type: 'click', target: 'form#login > button.primary.wide' })
    const { long_task } = await sent(page, site, ({ type }) => type === 'long_task')
    expect(long_task?.duration_ms).toBeGreaterThanOrEqual(120)
    expect(JSON.stringify(site.events())).not.toMatch(/4111|Euro/)
    await close()
  })

  it('are errors and rejections that nobody caught, the same one of a burst once', async () => {
    const { page, close } = await visit(browser, site, '/')
    await page.evaluate(`for (let i = 0; i < 20; i++) {
      setTimeout(function sell() { throw new TypeError('no till') })
    }`)
    await page.evaluate(`void Promise.reject(new RangeError('too far'))`)
    await page.evaluate(`void Promise.reject('only text')`)
    await page.evaluate(`rum.error(Object.assign(new Error('told'), { name: 'OwnError' }))`)
    await sent(page, site, ({ error }) => error?.message === 'told')
    expect(site.events('error').map(({ error }) => [error?.type, error?.message])).toEqual(
      expect.arrayContaining([
        ['TypeError', 'no till'],
        ['RangeError', 'too far'],
        [undefined, 'only text'],
        ['OwnError', 'told'],
      ]),
    )
    expect(site.events('error')).toHaveLength(4)
    const thrown = site.events('error').find(({ error }) => error?.message === 'no till')
    expect(thrown?.error?.stack).toContain('sell')
    await close()
  })

  it('are requests without query, and never those of the SDK', async () => {
    const { page, close } = await visit(browser, site, '/')
    await page.evaluate(`fetch('/data?token=secret').then((it) => it.text())`)
    await page.evaluate(`fetch('/nothing').then((it) => it.text())`)
    await page.evaluate('rum.flush()')
    await settle(page)
    await page.evaluate(`fetch('/data').then((it) => it.text())`)
    await sent(page, site, ({ resource }) => resource?.url === site.url('/nothing'))
    await settle(page)
    await page.evaluate('rum.flush()')
    await vi.waitFor(() => {
      const urls = site.events('resource').map(({ resource }) => resource?.url)
      expect(urls.filter((url) => url === site.url('/data'))).toHaveLength(2)
    })
    const resources = site.events('resource').map(({ resource }) => resource)
    const urls = resources.map((one) => one?.url)
    expect(urls).toContain(site.url('/vigil-rum.js'))
    expect(urls.filter((url) => url?.startsWith(site.baseUrl))).toEqual([])
    expect(resources.find((one) => one?.url === site.url('/nothing'))?.status).toBe(404)
    expect(JSON.stringify(site.events())).not.toContain('secret')
    await close()
  })

  it('is one session over all pages and tabs of a visitor, and another of another visitor', async () => {
    const first = await visit(browser, site, '/')
    await sent(first.page, site, ({ type }) => type === 'view')
    await first.page.goto(site.url('/shop'))
    await sent(first.page, site, ({ view }) => view?.name === '/shop')
    const tab = await openPage(first.context, site, '/data')
    await sent(tab, site, ({ view }) => view?.name === '/data')
    expect(new Set(site.received.map(({ session }) => session)).size).toBe(1)
    expect(site.events('session_start')).toHaveLength(1)
    const other = await visit(browser, site, '/')
    await vi.waitFor(async () => {
      await other.page.evaluate('rum.flush()')
      expect(site.events('session_start')).toHaveLength(2)
    })
    expect(new Set(site.received.map(({ session }) => session)).size).toBe(2)
    await first.close()
    await other.close()
  })

  it('is a new session after 15 minutes without anything done, which the page is seen in', async () => {
    const { page, close } = await visit(browser, site, '/shop')
    await sent(page, site, ({ type }) => type === 'view')
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
    const log = await sent(page, site, ({ type }) => type === 'log')
    expect(log.log).toEqual({ level: 'info', message: 'back' })
    expect(site.events('session_end')).toHaveLength(1)
    expect(site.events('session_start')).toHaveLength(2)
    const [before, after] = [...new Set(site.received.map(({ session }) => session))]
    const typesOf = (id: string | undefined) =>
      site.received.flatMap(({ session, events }) =>
        session === id ? events.map(({ type }) => type) : [],
      )
    expect(typesOf(before)).toContain('session_end')
    expect(typesOf(after).slice(0, 3)).toEqual(['session_start', 'view', 'log'])
    await close()
  })

  it('counts a page that comes back from the back/forward cache as another load', async () => {
    const { page, close } = await visit(browser, site, '/')
    await sent(page, site, isVital('LCP'))
    // Under remote control the browser keeps no pages, but what it tells them is the same.
    await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
    await vi.waitFor(async () => {
      await page.evaluate('rum.flush()')
      const loads = site.events('vital').filter(isVital('FCP'))
      expect(new Set(loads.map(({ vital }) => vital?.id)).size).toBe(2)
    })
    expect(site.events('view').map(({ view }) => view?.name)).toEqual(['/', '/'])
    await close()
  })
})
