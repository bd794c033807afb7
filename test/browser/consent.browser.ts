/** Recording with and without consent, and pages that the SDK must not affect. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useSite } from './site.ts'
import { openPage, sent, settle, visit } from './visit.ts'

describe('consent', () => {
  const { site, browser, sentEvents } = useSite({
    '/': '<h1>Start</h1><button>Buy</button>',
    '/shop': '<h1>Shop</h1>',
  })

  const stored = (page: Page) =>
    page.evaluate('Object.keys({ ...localStorage, ...sessionStorage })')
  /** Causes an event of every type. */
  const useThePage = async (page: Page): Promise<void> => {
    await page.click('button')
    await page.evaluate(`history.pushState({}, '', '/before')`)
    await page.evaluate(`rum.log('info', 'before'); rum.error(new Error('before'))`)
    await page.evaluate(`rum.view('before'); rum.action('before'); rum.flush()`)
    await page.evaluate(`setTimeout(() => { throw new Error('before') })`)
    await settle(page)
  }

  it.each([`consent: 'pending'`, 'consent: false', 'sample_rate: 0'])(
    'sends nothing with %s, not even when the page is left',
    async (options) => {
      const { page, close } = await visit(browser(), site(), '/', options)
      await useThePage(page)
      const keys = await stored(page)
      await page.goto('about:blank')
      await settle(page)
      expect(site().received).toEqual([])
      // Only the decision that a visitor is not in the sample is stored.
      expect(keys).toEqual(options.startsWith('sample') ? ['vigil:pk_test_1:session'] : [])
      await close()
    },
  )

  it('starts recording when it is granted, without earlier events', async () => {
    const { page, close } = await visit(browser(), site(), '/', `consent: 'pending'`)
    await useThePage(page)
    await page.evaluate(`rum.setConsent('granted')`)
    await page.evaluate(`rum.log('info', 'after')`)
    await sent(page, site(), ({ log }) => log?.message === 'after')
    await settle(page)
    await page.evaluate('rum.flush()')
    await settle(page)
    expect(sentEvents().map(({ type }) => type)).toEqual(['session_start', 'view', 'log'])
    await close()
  })

  it('deletes waiting and stored events when it is withdrawn', async () => {
    const { page, context, close } = await visit(browser(), site(), '/')
    await sent(page, site(), ({ type }) => type === 'view')
    await settle(page)
    const before = site().received.length
    await context.setOffline(true)
    await page.evaluate(`rum.log('info', 'stored'); rum.flush()`)
    expect(await stored(page)).toEqual(
      expect.arrayContaining(['vigil:pk_test_1:queue', 'vigil:pk_test_1:session']),
    )
    await page.evaluate(`rum.log('info', 'waiting'); rum.setConsent(false)`)
    expect(await stored(page)).toEqual([])
    await context.setOffline(false)
    await useThePage(page)
    await page.goto('about:blank')
    await settle(page)
    expect(site().received).toHaveLength(before)
    await close()
  })

  it('does not allow a secret key, which is refused with a console error', async () => {
    const context = await browser().newContext()
    const page = await context.newPage()
    const messages: string[] = []
    page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`))
    await page.goto(site().url('/'))
    await page.evaluate(
      `void (rum = VigilRum.init({ base_url: '${site().baseUrl}', api_key: 'sk_live_1' }))`,
    )
    await useThePage(page)
    expect(messages.filter((text) => text.startsWith('error'))).toEqual([
      expect.stringMatching(/secret key.*public key/),
    ])
    expect(await stored(page)).toEqual([])
    expect(site().received).toEqual([])
    await context.close()
  })

  it('restores the methods of the page after stop, and sends waiting events', async () => {
    const { page, close } = await visit(browser(), site(), '/', `consent: 'pending'`)
    await page.evaluate('self.before = [history.pushState, history.replaceState]')
    await page.evaluate('rum.setConsent(true)')
    expect(await page.evaluate('history.pushState === before[0]')).toBe(false)
    await page.evaluate(`rum.log('info', 'last'); rum.stop()`)
    expect(
      await page.evaluate('history.pushState === before[0] && history.replaceState === before[1]'),
    ).toBe(true)
    await settle(page)
    expect(sentEvents('log').map(({ log }) => log?.message)).toEqual(['last'])
    await useThePage(page)
    await page.goto('about:blank')
    await settle(page)
    expect(site().received).toHaveLength(1)
    await close()
  })

  it('does not break a page with failing hooks, blocked storage and a bad beforeSend', async () => {
    const context = await browser().newContext()
    await context.addInitScript(`
      Object.defineProperty(self, 'localStorage', { get() { throw new Error('blocked') } })
      const observe = PerformanceObserver.prototype.observe
      PerformanceObserver.prototype.observe = function (options) {
        if (options.type === 'longtask') throw new TypeError('unknown type')
        return observe.call(this, options)
      }
      self.faults = []
      addEventListener('error', ({ message }) => faults.push(message))`)
    const page = await openPage(
      context,
      site(),
      '/',
      `beforeSend: (event) => {
        if (event.log?.message === 'bad') throw new Error('bad')
        if (event.log?.message === 'private') return null
        return { ...event, app_version: '7' }
      }`,
    )
    await page.evaluate(
      `rum.log('info', 'bad'); rum.log('info', 'private'); rum.log('info', 'good')`,
    )
    const view = await sent(page, site(), ({ type }) => type === 'view')
    expect(view).toMatchObject({ app_version: '7' })
    expect(sentEvents('log').map(({ log }) => log?.message)).toEqual(['good'])
    await page.click('button')
    await sent(page, site(), ({ type }) => type === 'action')
    expect(await page.evaluate('faults')).toEqual([])
    await context.close()
  })
})
