/** A short test of the browser SDK in a real browser. The full tests are the *.browser.ts files. */
import { describe, expect, it, vi } from 'vitest'
import { useSite } from './site.ts'

describe('a page with the SDK', () => {
  const { site, browser, sentEvents } = useSite({ '/shop': '<h1>Shop</h1>' })

  it('sends its view, an error and its vitals when it is left', async () => {
    const page = await browser().newPage()
    await page.goto(site().url('/shop?token=secret'))
    await page.evaluate(
      `void (rum = VigilRum.init({ base_url: '${site().baseUrl}', api_key: 'pk_test_1' }))`,
    )
    await page.evaluate(`void setTimeout(() => { throw new TypeError('no till') })`)
    await page.evaluate('new Promise((done) => setTimeout(done, 100))')
    await page.goto('about:blank')
    await vi.waitFor(() => expect(sentEvents('error')).toHaveLength(1), { timeout: 5_000 })
    expect(sentEvents('session_start')).toHaveLength(1)
    expect(sentEvents('view')).toMatchObject([
      { view: { name: '/shop', url: site().url('/shop') } },
    ])
    expect(sentEvents('error')[0]?.error).toMatchObject({ type: 'TypeError', message: 'no till' })
    expect(sentEvents('vital').map(({ vital }) => vital?.name)).toEqual(
      expect.arrayContaining(['TTFB', 'FCP', 'LCP', 'CLS']),
    )
    expect(site().received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/rum/events',
      key: 'pk_test_1',
      contentType: 'text/plain;charset=UTF-8',
    })
    expect(JSON.stringify(site().received)).not.toContain('secret')
    await page.close()
  })
})
