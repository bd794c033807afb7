/** Delivery of events: batches, beacons and retries after an outage of the service or the network. */
import { describe, expect, it, vi } from 'vitest'
import { useSite } from './site.ts'
import { openPage, sent, settle, visit } from './visit.ts'

const logScript = (from: number, to: number): string =>
  `for (let i = ${from}; i < ${to}; i++) rum.log('info', 'message ' + i)`

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `message ${from + index}`)

describe('the SDK', () => {
  const { site, browser, sentEvents } = useSite({ '/': '<h1>Start</h1>', '/shop': '<h1>Shop</h1>' })
  const logged = (): string[] => sentEvents('log').map(({ log }) => log?.message ?? '')

  it('sends batches of at most 50 events and 16 KB, as text, without preflight and cookies', async () => {
    const { page, context, close } = await visit(browser(), site(), '/')
    await page.evaluate(logScript(0, 120))
    await page.evaluate(
      `for (let i = 120; i < 150; i++) rum.log('info', 'message ' + i + 'é'.repeat(900))`,
    )
    await page.evaluate('rum.flush()')
    await vi.waitFor(() => expect(logged()).toHaveLength(150), { timeout: 10_000 })
    expect(logged().map((text) => text.replaceAll('é', ''))).toEqual(numbered(0, 150))
    expect(site().received.every(({ method }) => method === 'POST')).toBe(true)
    expect(site().received.map(({ contentType }) => contentType)).toEqual(
      site().received.map(() => 'text/plain;charset=UTF-8'),
    )
    expect(Math.max(...site().received.map(({ events }) => events.length))).toBe(50)
    const sizes = site().received.map(({ body }) => Buffer.byteLength(body))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(16_384)
    expect(Math.max(...sizes)).toBeGreaterThan(14_000)
    expect(await context.cookies()).toEqual([])
    await close()
  })

  it('sends waiting events within 5 seconds without further events or a flush', async () => {
    const { page, close } = await visit(browser(), site(), '/', 'flush_ms: 5000')
    await page.evaluate(logScript(0, 1))
    await vi.waitFor(() => expect(logged()).toEqual(['message 0']), { timeout: 15_000 })
    await close()
  })

  it('sends a beacon with the key in the address when the page is closed', async () => {
    const { page, close } = await visit(browser(), site(), '/')
    await page.evaluate(logScript(0, 3))
    await page.close({ runBeforeUnload: true })
    await vi.waitFor(() => expect(logged()).toEqual(numbered(0, 3)), { timeout: 5_000 })
    expect(site().received).toHaveLength(1)
    expect(site().received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/rum/events',
      key: 'pk_test_1',
      contentType: 'text/plain;charset=UTF-8',
      fetchMode: 'no-cors',
    })
    await close()
  })

  it('sends 100 KB when the page is left, partly by beacon and the rest from the next page', async () => {
    const { page, close } = await visit(browser(), site(), '/')
    await sent(page, site(), ({ type }) => type === 'view')
    const isRestStored = await page.evaluate(`(() => {
      for (let i = 0; i < 100; i++) rum.log('info', 'message ' + i + 'x'.repeat(900))
      dispatchEvent(new PageTransitionEvent('pagehide'))
      return 'vigil:pk_test_1:queue' in localStorage
    })()`)
    expect(isRestStored).toBe(true)
    await page.goto(site().url('/shop'))
    await sent(page, site(), ({ view }) => view?.name === '/shop')
    await vi.waitFor(() => expect(logged()).toHaveLength(100), { timeout: 10_000 })
    expect(new Set(logged()).size).toBe(100)
    const beacons = site().received.filter(({ fetchMode }) => fetchMode === 'no-cors')
    expect(beacons.length).toBeGreaterThanOrEqual(2)
    await close()
  })

  it('sends every event once after a network outage', async () => {
    const { page, context, close } = await visit(browser(), site(), '/')
    await page.evaluate(logScript(0, 10))
    await sent(page, site(), ({ log }) => log?.message === 'message 9')
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

  it('sends the events of a page that was closed offline from the next page', async () => {
    const { page, context, close } = await visit(browser(), site(), '/')
    await sent(page, site(), ({ type }) => type === 'view')
    await context.setOffline(true)
    // Chromium sometimes ends the emulation before the page has its last event, and `onLine` with it.
    await page.evaluate("Object.defineProperty(navigator, 'onLine', { get: () => false })")
    await page.evaluate(logScript(0, 20))
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
    expect(logged()).toEqual([])
    await context.setOffline(false)
    const next = await openPage(context, site(), '/shop')
    await sent(next, site(), ({ view }) => view?.name === '/shop')
    await vi.waitFor(() => expect(logged()).toEqual(numbered(0, 20)), { timeout: 20_000 })
    await next.evaluate('rum.flush()')
    await settle(next)
    expect(logged()).toEqual(numbered(0, 20))
    await close()
  })

  it('repeats the same body after a failure, and not before the time that the service named', async () => {
    let failures = 0
    site().answerWith(({ events }) => {
      if (!events.some((event) => event.log) || failures === 3) return { status: 200 }
      failures += 1
      if (failures === 1) return { status: 503 }
      if (failures === 2) return undefined
      return { status: 429, content: { retry_after: 2 } }
    })
    const { page, close } = await visit(browser(), site(), '/')
    await page.evaluate(logScript(0, 5))
    await page.evaluate('rum.flush()')
    await vi.waitFor(() => expect(logged()).toEqual(numbered(0, 5)), { timeout: 20_000 })
    const bodies = site().received.filter(({ body }) => body.includes('message 0'))
    expect(bodies.map(({ status }) => status)).toEqual([503, 0, 429, 200])
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1)
    await close()
  })

  it('drops a batch that the service refuses, and sends later events and the number of dropped events', async () => {
    site().answerWith(({ body }) => ({ status: body.includes('message 0') ? 400 : 200 }))
    const { page, close } = await visit(browser(), site(), '/')
    await sent(page, site(), ({ type }) => type === 'view')
    await settle(page)
    await page.evaluate(logScript(0, 1))
    await page.evaluate('rum.flush()')
    await settle(page)
    await page.evaluate(logScript(1, 2))
    await sent(page, site(), ({ log }) => log?.message === 'message 1')
    expect(site().received.filter(({ body }) => body.includes('message 0'))).toHaveLength(1)
    expect(logged().find((text) => text.includes('dropped'))).toMatch(
      /^Vigil RUM dropped \d+ events$/,
    )
    await close()
  })

  it('stops sending when the key is refused', async () => {
    site().answerWith(() => ({ status: 401 }))
    const { page, close } = await visit(browser(), site(), '/')
    const consoleMessage = page.waitForEvent('console')
    await page.evaluate('rum.flush()')
    expect((await consoleMessage).type()).toBe('error')
    await settle(page)
    await page.evaluate(logScript(0, 60))
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([])
    expect(site().received).toHaveLength(1)
    await close()
  })
})
