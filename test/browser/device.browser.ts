/** The device SDK in a real browser: its measurements, their stability, and what it leaves alone. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseReport, verifyReport } from '../../src/modules/checks/signed-report/verify.ts'
import { hashToken } from '../../src/platform/crypto/tokens.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'
import { launchChromium } from './chromium.ts'
import { collect, type DeviceSite, openForm, payloadOf, startDeviceSite } from './device-site.ts'

/** Makes Chromium look like its version on Android to FingerprintJS. */
const LIKE_A_PHONE = `delete self.SharedWorker; delete HTMLMediaElement.prototype.sinkId`
const COUNT_RENDERING = `self.rendered = []
  for (const [type, name] of [[HTMLCanvasElement, 'getContext'], [HTMLCanvasElement, 'toDataURL']]) {
    const original = type.prototype[name]
    type.prototype[name] = function (...given) { rendered.push(name); return original.apply(this, given) }
  }
  self.OfflineAudioContext = class { constructor() { rendered.push('audio') } }
  const append = Node.prototype.appendChild
  Node.prototype.appendChild = function (node) { rendered.push(node.nodeName); return append.call(this, node) }`

describe('the device SDK', () => {
  let site: DeviceSite
  let browser: Browser
  beforeAll(async () => {
    site = await startDeviceSite()
    browser = await launchChromium(['--host-resolver-rules=MAP shop.test 127.0.0.1'])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  /** Opens the form in a private context. */
  async function visit<T>(
    run: (page: Page) => Promise<T>,
    {
      options,
      script,
      settings = {},
    }: {
      options?: string
      script?: string
      settings?: BrowserContextOptions
    } = {},
    from: Browser = browser,
  ): Promise<T> {
    const context = await from.newContext(settings)
    if (script !== undefined) await context.addInitScript(script)
    const result = await run(await openForm(context, site, options))
    await context.close()
    return result
  }
  const fingerprint = async (settings: BrowserContextOptions, from?: Browser) =>
    (await visit(collect, { settings }, from)).fingerprint_hash

  it('returns a report that is signed with the public key, new for each call', async () => {
    const [first, second] = await visit(async (page) => [await collect(page), await collect(page)])
    expect(second?.fingerprint_hash).toBe(first?.fingerprint_hash)
    const ids = [first, second].map((collected) => {
      expect(collected?.device.fingerprint_hash).toMatch(/^[\da-f]{32}$/)
      const claimed = parseReport(collected?.device.signed_report ?? '')
      if (!claimed) throw new Error('the report is unreadable')
      const keys = [hashToken('pk_test_browser1')]
      expect(verifyReport(claimed, keys, new Date(), 30)).toMatchObject({ state: 'valid' })
      expect(claimed.report).toMatchObject({ behavior: collected?.behavior })
      return claimed.report.id
    })
    expect(new Set(ids).size).toBe(2)
  })

  it('loads a second file from the site when it is needed, and sends nothing', async () => {
    site.requests.length = 0
    const urls: string[] = []
    const context = await browser.newContext()
    context.on('request', (request) => urls.push(request.url()))
    const page = await openForm(context, site)
    await page.fill('input[name=email]', 'ann@example.com')
    expect(site.requests).toEqual(['/sign-up', '/vigil-device.mjs'])
    await collect(page)
    await collect(page)
    await page.close()
    expect(site.requests).toEqual(['/sign-up', '/vigil-device.mjs', '/vigil-device-signals.mjs'])
    const sent = urls.filter((url) => !url.startsWith('data:'))
    expect(sent.map((url) => url.replace(site.origin, ''))).toEqual(site.requests)
    await context.close()
  })

  it('recognizes a browser after a restart, in private windows, and with other settings', async () => {
    const settings: BrowserContextOptions[] = [
      {},
      { locale: 'de-DE', timezoneId: 'Asia/Tokyo' },
      { colorScheme: 'dark', reducedMotion: 'reduce', contrast: 'more', forcedColors: 'active' },
      { viewport: { width: 500, height: 900 }, deviceScaleFactor: 2 },
      { extraHTTPHeaders: { DNT: '1' }, acceptDownloads: false, javaScriptEnabled: true },
      {
        userAgent:
          'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/151.0.0.0 Safari/537.36',
      },
    ]
    const hashes: (string | undefined)[] = []
    for (const each of settings) hashes.push(await fingerprint(each))
    const restarted = await launchChromium()
    for (const each of settings) hashes.push(await fingerprint(each, restarted))
    await restarted.close()
    expect(hashes).toHaveLength(12)
    expect(new Set(hashes)).toEqual(new Set([hashes[0]]))
    expect(hashes[0]).toMatch(/^[\da-f]{32}$/)
  })

  it('recognizes a browser that is started again 30 days later, by its clock', async () => {
    const hashes: (string | undefined)[] = []
    for (const days of [0, 1, 8, 30]) {
      const started = await launchChromium()
      const context = await started.newContext()
      await context.clock.setSystemTime(Date.now() + days * DAY_MS)
      hashes.push((await collect(await openForm(context, site))).fingerprint_hash)
      await started.close()
    }
    expect(hashes[0]).toMatch(/^[\da-f]{32}$/)
    expect(new Set(hashes)).toEqual(new Set([hashes[0]]))
  })

  it('distinguishes devices', async () => {
    const changed = `Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 31 })`
    const other = await visit(collect, { script: changed })
    expect(other.fingerprint_hash).not.toBe(await fingerprint({}))
    expect(payloadOf(other).device['alterations']).toEqual(['navigator_replaced'])
  })

  it('recognizes a device when an update changes the last digits of its sound', async () => {
    const changed = `const original = AudioBuffer.prototype.getChannelData
      self.sounds = 0
      AudioBuffer.prototype.getChannelData = function (...given) {
        sounds++
        return original.apply(this, given).map((sample) => sample * FACTOR)
      }`
    const heard = async (factor: string) =>
      await visit(
        async (page) => {
          const { fingerprint_hash } = await collect(page)
          expect(await page.evaluate('sounds')).toBeGreaterThan(0)
          return fingerprint_hash
        },
        { script: changed.replace('FACTOR', factor) },
      )
    const now = await fingerprint({})
    expect(await heard('1.0000002')).toBe(now)
    expect(await heard('1.01')).not.toBe(now)
  })

  it('finds the program that drives this browser, and not a browser that is used by hand', async () => {
    const driven = payloadOf(await visit(collect)).device
    expect(driven).toMatchObject({ webdriver: true, bot_kind: 'headless_chrome' })
    const byHand = await launchChromium(['--disable-blink-features=AutomationControlled'])
    const userAgent =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/147.0.0.0 Safari/537.36'
    const ordinary = payloadOf(await visit(collect, { settings: { userAgent } }, byHand)).device
    await byHand.close()
    expect(ordinary).toMatchObject({ webdriver: false, is_mobile: false, alterations: [] })
    expect(ordinary['bot_kind']).toBeUndefined()
  })

  it('describes a phone that a computer pretends to be', async () => {
    const userAgent =
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/147.0.0.0 Mobile Safari/537.36'
    const settings = { userAgent, isMobile: true, hasTouch: true }
    const { device } = payloadOf(await visit(collect, { settings }))
    expect(device).toMatchObject({ is_mobile: true, platform: 'Linux x86_64' })
    expect(device['renderer']).toMatch(/SwiftShader/)
  })

  it.each([
    ['a removed webdriver', `delete Navigator.prototype.webdriver`, 'webdriver_removed'],
    [
      'an own property',
      `Object.defineProperty(navigator, 'webdriver', { get: () => false })`,
      'navigator_replaced',
    ],
    [
      'a replaced canvas',
      `HTMLCanvasElement.prototype.toDataURL = () => 'data:,'`,
      'canvas_replaced',
    ],
  ])('notices %s', async (_what, script, name) => {
    expect(payloadOf(await visit(collect, { script })).device['alterations']).toContain(name)
  })

  it('renders and stores nothing without consent, and has no fingerprint then', async () => {
    for (const options of [`consent: 'pending'`, 'consent: false']) {
      const [collected, traces] = await visit(
        async (page) =>
          [
            await collect(page),
            await page.evaluate(
              '[...rendered, ...Object.keys({ ...localStorage, ...sessionStorage })]',
            ),
          ] as const,
        { options, script: COUNT_RENDERING },
      )
      expect(traces).toEqual([])
      expect(collected.fingerprint_hash).toBeUndefined()
      expect(Object.keys(collected.device)).toEqual(['signed_report'])
      const { device } = payloadOf(collected)
      expect(device).toMatchObject({ webdriver: true })
      expect(device).not.toHaveProperty('renderer')
    }
  })

  it('follows consent that is given and withdrawn later', async () => {
    const [before, after, withdrawn] = await visit(
      async (page) => [
        await collect(page),
        await page.evaluate(`device.setConsent('granted')`).then(() => collect(page)),
        await page.evaluate('device.setConsent(false)').then(() => collect(page)),
      ],
      { options: `consent: 'pending'` },
    )
    expect(before?.fingerprint_hash).toBeUndefined()
    expect(after?.fingerprint_hash).toBeDefined()
    expect(withdrawn?.fingerprint_hash).toBeUndefined()
  })

  it('uses an id in the storage on phones, which withdrawn consent removes', async () => {
    const inOneContext = async (page: Page) => [
      await collect(page),
      await collect(page),
      await page.evaluate('device.setConsent(false); Object.keys(localStorage)'),
    ]
    const [one, again, left] = await visit(inOneContext, { script: LIKE_A_PHONE })
    const [other] = await visit(inOneContext, { script: LIKE_A_PHONE })
    const { device } = payloadOf(one as Awaited<ReturnType<typeof collect>>)
    expect(device).toMatchObject({ fingerprint_source: 'storage', confidence: 1 })
    expect(again).toMatchObject({ fingerprint_hash: device['fingerprint_hash'] })
    expect(other).not.toMatchObject({ fingerprint_hash: device['fingerprint_hash'] })
    expect(left).toEqual([])
    const blocked = `${LIKE_A_PHONE};
      Object.defineProperty(self, 'localStorage', { get() { throw new Error('blocked') } })`
    expect(await visit(collect, { script: blocked })).not.toHaveProperty('fingerprint_hash')
  })

  it('summarizes the use of the form without its content', async () => {
    const [collected, faults] = await visit(async (page) => {
      const errors: string[] = []
      page.on('pageerror', ({ message }) => errors.push(message))
      await page.click('input[name=email]')
      await page.keyboard.type('anm@secret-shop.example', { delay: 30 })
      for (let n = 0; n < 3; n++) await page.keyboard.press('Backspace')
      await page.fill('input[name=name]', 'Ann Private')
      await page.click('input[name=password]')
      await page.keyboard.type('correct horse')
      await page.evaluate(
        `document.querySelector('[name=name]').dispatchEvent(new Event('input', { bubbles: true }))`,
      )
      return [await collect(page), errors] as const
    })
    expect(faults).toEqual([])
    expect(collected.behavior).toMatchObject({
      fields: 2,
      insertions: 24,
      corrections: 3,
      pastes: 0,
      scripted_changes: 1,
      clicks: 2,
    })
    expect(collected.behavior['interval_ms_median']).toBeGreaterThanOrEqual(25)
    expect(collected.behavior['form_ms']).toBeGreaterThanOrEqual(600)
    const all = JSON.stringify([collected, payloadOf(collected)])
    for (const text of ['secret', 'Private', 'horse', 'anm']) expect(all).not.toContain(text)
  })

  it('limits the summary to the form that it is given, and stops', async () => {
    const behavior = await visit(
      async (page) => {
        await page.fill('input[name=email]', 'a')
        await page.evaluate('device.stop()')
        await page.fill('input[name=name]', 'b')
        return (await collect(page)).behavior
      },
      { options: `form: document.querySelector('[name=email]')` },
    )
    expect(behavior).toMatchObject({ fields: 1, clicks: 0 })
  })

  it('returns what it knows in a page without HTTPS, where it cannot sign', async () => {
    const context = await browser.newContext()
    const origin = site.origin.replace('127.0.0.1', 'shop.test')
    const collected = await collect(await openForm(context, { ...site, origin }))
    await context.close()
    expect(collected.device).toEqual({ fingerprint_hash: collected.fingerprint_hash })
    expect(collected.fingerprint_hash).toBeDefined()
  })

  it.each(['sk_live_1', ''])('measures nothing with the key "%s", and says so', async (key) => {
    const messages: string[] = []
    const collected = await visit(async (page) => {
      page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`))
      await page.evaluate(
        `import('/vigil-device.mjs').then(({ init }) => { device = init({ api_key: '${key}' }) })`,
      )
      return await collect(page)
    })
    expect(collected.device).toEqual({})
    expect(messages).toEqual([expect.stringMatching(/^error: Vigil device: .*public key/)])
  })
})
