/** How events leave the page: batches, beacons, and what is sent when the service or the network was away. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { launchChromium } from './chromium.ts'
import { type Site, startSite } from './site.ts'
import { openPage, sent, settle, visit } from './visit.ts'

const logScript = (from: number, to: number): string =>
  `for (let i = ${from}; i < ${to}; i++) rum.log('info', 'message ' + i)`

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `message ${from + index}`)

describe('sent from a page', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await startSite({ '/': '<h1>Start</h1>', '/shop': '<h1>Shop</h1>' })
    browser = await launchChromium()
  })
  beforeEach(() => site.reset())
  afterAll(async () => {
    await browser.close()
    await site.close()
  })
  const logged = (): string[] => site.events('log').map(({ log }) => log?.message ?? '')

  it('are batches of at most 50 events and 16 KB, as text, without preflight and cookies', async () => {
    const { page, context, close } = await visit(browser, site, '/')
    await page.evaluate(logScript(0, 120))
    await page.evaluate(
      `for (let i = 120; i < 150; i++) rum.log('info', 'message ' + i + 'é'.repeat(900))`,
    )
    await page.evaluate('rum.flush()')
    await vi.waitFor(() => expect(logged()).toHaveLength(150), { timeout: 10_000 })
    expect(logged().map((text) => text.replaceAll('é', ''))).toEqual(numbered(0, 150))
    expect(site.received.every(({ method }) => method === 'POST')).toBe(true)
    expect(site.received.map(({ contentType }) => contentType)).toEqual(
      site.received.map(() => 'text/plain;charset=UTF-8'),
    )
    expect(Math.max(...site.received.map(({ events }) => events.length))).toBe(50)
    const sizes = site.received.map(({ body }) => Buffer.byteLength(body))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(16_384)
    expect(Math.max(...sizes)).toBeGreaterThan(14_000)
    expect(await context.cookies()).toEqual([])
    await close()
  })

  it('is what waits within 5 seconds, when no more comes and nobody asks', async () => {
    const { page, close } = await visit(browser, site, '/', 'flush_ms: 5000')
    await page.evaluate(logScript(0, 1))
    await vi.waitFor(() => expect(logged()).toEqual(['message 0']), { timeout: 15_000 })
    await close()
  })

  it('is a beacon when the page is closed, with the key in the address', async () => {
    const { page, close } = await visit(browser, site, '/')
    await page.evaluate(logScript(0, 3))
    await page.close({ runBeforeUnload: true })
    await vi.waitFor(() => expect(logged()).toEqual(numbered(0, 3)), { timeout: 5_000 })
    expect(site.received).toHaveLength(1)
    expect(site.received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/rum/events',
      key: 'pk_test_1',
      contentType: 'text/plain;charset=UTF-8',
      fetchMode: 'no-cors',
    })
    await close()
  })

  it('is all of 100 KB when the page is left: what fits by beacon, the rest by the next page', async () => {
    const { page, close } = await visit(browser, site, '/')
    await sent(page, site, ({ type }) => type === 'view')
    const isRestStored = await page.evaluate(`(() => {
      for (let i = 0; i < 100; i++) rum.log('info', 'message ' + i + 'x'.repeat(900))
      dispatchEvent(new PageTransitionEvent('pagehide'))
      return 'vigil:pk_test_1:queue' in localStorage
    })()`)
    expect(isRestStored).toBe(true)
    await page.goto(site.url('/shop'))
    await sent(page, site, ({ view }) => view?.name === '/shop')
    await vi.waitFor(() => expect(logged()).toHaveLength(100), { timeout: 10_000 })
    expect(new Set(logged()).size).toBe(100)
    const beacons = site.received.filter(({ fetchMode }) => fetchMode === 'no-cors')
    expect(beacons.length).toBeGreaterThanOrEqual(2)
    await close()
  })

  it('is everything once, after the network was away', async () => {
    const { page, context, close } = await visit(browser, site, '/')
    await page.evaluate(logScript(0, 10))
    await sent(page, site, ({ log }) => log?.message === 'message 9')
    await context.setOffline(true)
    await page.evaluate(logScript(10, 130))
    await page.evaluate('rum.flush()')
    await settle(page)
    expect(logged()).toEqual(numbered(0, 10))
    await context.setOffline(false)
    await vi.waitFor(() => expect(logged()).toHaveLength(130), { timeout: 10_000 })
    await page.evaluate('rum.flush()')
    await settle(page)
    expect(logged()).toEqual(numbered(0, 130))
    await close()
  })

  it('is by the next page what was recorded offline by one that was closed', async () => {
    const { page, context, close } = await visit(browser, site, '/')
    await sent(page, site, ({ type }) => type === 'view')
    await context.setOffline(true)
    await page.evaluate(logScript(0, 20))
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
    expect(logged()).toEqual([])
    await context.setOffline(false)
    const next = await openPage(context, site, '/shop')
    await sent(next, site, ({ view }) => view?.name === '/shop')
    await vi.waitFor(() => expect(logged()).toEqual(numbered(0, 20)), { timeout: 20_000 })
    await next.evaluate('rum.flush()')
    await settle(next)
    expect(logged()).toEqual(numbered(0, 20))
    await close()
  })

  it('is the same body again after a failure, once the time has passed that the service named', async () => {
    let failures = 0
    site.answerWith(({ events }) => {
      if (!events.some((event) => event.log) || failures === 3) return { status: 200 }
      failures += 1
      if (failures === 1) return { status: 503 }
      if (failures === 2) return undefined
      return { status: 429, content: { retry_after: 2 } }
    })
    const { page, close } = await visit(browser, site, '/')
    await page.evaluate(logScript(0, 5))
    await page.evaluate('rum.flush()')
    await vi.waitFor(() => expect(logged()).toEqual(numbered(0, 5)), { timeout: 20_000 })
    const bodies = site.received.filter(({ body }) => body.includes('message 0'))
    expect(bodies.map(({ status }) => status)).toEqual([503, 0, 429, 200])
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1)
    await close()
  })

  it('is nothing more of a batch that the service refuses, but what comes after it, and the number', async () => {
    site.answerWith(({ body }) => ({ status: body.includes('message 0') ? 400 : 200 }))
    const { page, close } = await visit(browser, site, '/')
    await sent(page, site, ({ type }) => type === 'view')
    await settle(page)
    await page.evaluate(logScript(0, 1))
    await page.evaluate('rum.flush()')
    await settle(page)
    await page.evaluate(logScript(1, 2))
    await sent(page, site, ({ log }) => log?.message === 'message 1')
    expect(site.received.filter(({ body }) => body.includes('message 0'))).toHaveLength(1)
    expect(logged().find((text) => text.includes('dropped'))).toMatch(
      /^Vigil RUM dropped \d+ events$/,
    )
    await close()
  })

  it('is nothing more once the key was refused', async () => {
    site.answerWith(() => ({ status: 401 }))
    const { page, close } = await visit(browser, site, '/')
    const told = page.waitForEvent('console')
    await page.evaluate('rum.flush()')
    expect((await told).type()).toBe('error')
    await settle(page)
    await page.evaluate(logScript(0, 60))
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([])
    expect(site.received).toHaveLength(1)
    await close()
  })
})
