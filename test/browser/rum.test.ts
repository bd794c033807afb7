/** The browser SDK in a real browser, in short. The rest is in the files *.browser.ts beside. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { launchChromium } from './chromium.ts'
import { type Site, startSite } from './site.ts'

describe('a page with the SDK', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await startSite({ '/shop': '<h1>Shop</h1>' })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  it('tells of its view, an error and its vitals when it is left', async () => {
    const page = await browser.newPage()
    await page.goto(site.url('/shop?token=secret'))
    await page.evaluate(
      `void (rum = VigilRum.init({ base_url: '${site.baseUrl}', api_key: 'pk_test_1' }))`,
    )
    await page.evaluate(`void setTimeout(() => { throw new TypeError('no till') })`)
    await page.evaluate('new Promise((done) => setTimeout(done, 100))')
    await page.goto('about:blank')
    await vi.waitFor(() => expect(site.events('error')).toHaveLength(1), { timeout: 5_000 })
    expect(site.events('session_start')).toHaveLength(1)
    expect(site.events('view')).toMatchObject([{ view: { name: '/shop', url: site.url('/shop') } }])
    expect(site.events('error')[0]?.error).toMatchObject({ type: 'TypeError', message: 'no till' })
    expect(site.events('vital').map(({ vital }) => vital?.name)).toEqual(
      expect.arrayContaining(['TTFB', 'FCP', 'LCP', 'CLS']),
    )
    expect(site.received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/rum/events',
      key: 'pk_test_1',
      contentType: 'text/plain;charset=UTF-8',
    })
    expect(JSON.stringify(site.received)).not.toContain('secret')
    await page.close()
  })
})
