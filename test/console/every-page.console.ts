/**
 * Every page of the console with the data of `vigil demo`: reachable by links, accessible in both themes,
 * usable on a phone, and without requests to third parties. `SCREENS=<folder>` writes pictures of all pages
 * into that folder.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { axeItems, smallTargets } from './axe-items.ts'
import { type DemoProcess, startDemo } from './demo.ts'
import { expectFits } from './harness.ts'
import {
  focusFaults,
  nameFaults,
  OBSERVE_SHIFTS,
  shiftFaults,
  tableFaults,
  textFaults,
} from './page-faults.ts'
import { readPatterns, type Stop, settle, tour } from './tour.ts'

const SCREENS = process.env['SCREENS']
const SCALE = SCREENS === undefined ? 0.15 : 1
const TOUR_MS = 900_000
/** Writes numbers and dates unlike English, which shows what was left to the language of the browser. */
const LOCALE = 'de-DE'
const FIRST_LOAD_MAX_BYTES = 80_000

let demo: DemoProcess
let browser: Browser
beforeAll(async () => {
  demo = await startDemo(SCALE)
  browser = await launchChromium()
}, TOUR_MS)
afterAll(async () => {
  await browser.close()
  await demo.close()
})

describe('every page of the console', () => {
  let page: Page
  const requested = new Set<string>()
  const errors: string[] = []

  beforeAll(async () => {
    if (SCREENS !== undefined) mkdirSync(SCREENS, { recursive: true })
    page = await demo.signIn(browser, { locale: SCREENS === undefined ? LOCALE : 'en-GB' })
    await page.context().addInitScript(OBSERVE_SHIFTS)
    page.on('request', (request) => requested.add(new URL(request.url()).origin))
    page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(`${page.url()}: ${message.text()}`)
    })
  })

  it(
    'is reachable by links, loads without moving, is accessible in both themes without undecided items, cuts no table off, reads well and fits a phone',
    async () => {
      const findings: unknown[] = []
      const titles: string[] = []
      const seen = await tour(page, demo.base, async (stop) => {
        titles.push(stop.title)
        expect(
          await page
            .getByText(/Not found|Something went wrong on this page|could not be loaded/)
            .count(),
        ).toBe(0)
        const items = await axeItems(page)
        const faults = await shiftFaults(page)
        items.push(...(await smallTargets(page)))
        findings.push(...items.map((item) => ({ at: stop.path, item })))
        faults.push(
          ...(await tableFaults(page)),
          ...(await textFaults(page)),
          ...(await nameFaults(page)),
        )
        await expectFits(page, 360)
        if (SCREENS !== undefined) await photograph(page, stop, SCREENS)
        faults.push(...(await focusFaults(page, demo.base + awayFrom(stop.pattern))))
        findings.push(...faults.map((fault) => ({ at: stop.path, fault })))
      })
      expect(readPatterns().filter((pattern) => !seen.includes(pattern))).toEqual([])
      expect(findings).toEqual([])
      expect(errors).toEqual([])
      expect(titles.filter((title) => !title.endsWith(' · Vigil'))).toEqual([])
      expect([...requested]).toEqual([demo.origin])
    },
    TOUR_MS,
  )

  it('the home page loads at most 80 KB of compressed scripts before its charts', async () => {
    const fresh = await demo.signIn(browser)
    let bytes = 0
    const session = await fresh.context().newCDPSession(fresh)
    const scripts = new Set<string>()
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    session.on('Network.responseReceived', ({ requestId, type, response }) => {
      // The library of charts, 20 KB, is loaded when the rest of the page is shown.
      if (type === 'Script' && !response.url.includes('/plot-')) scripts.add(requestId)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) bytes += encodedDataLength
    })
    await fresh.reload()
    await settle(fresh)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_MAX_BYTES)
    console.log(`first load: ${Math.round(bytes / 1000)} KB of script over the wire`)
  })
})

describe('where the system replaces all colors', () => {
  let page: Page
  beforeAll(async () => {
    page = await demo.signIn(browser)
    await page.emulateMedia({ forcedColors: 'active' })
  })

  it('series of a chart, their legend and states stay distinct', async () => {
    await page.goto(`${demo.base}/rum`)
    await settle(page)
    await page.locator('.legend-key').nth(1).waitFor()
    expect(await page.evaluate(LEGEND_KEYS)).toEqual({ keys: true, adjusted: ['none'] })
    await page.goto(`${demo.base}/logs?range=24h`)
    await settle(page)
    await page.locator('.legend-key').nth(4).waitFor()
    expect(await page.evaluate(LEGEND_KEYS)).toEqual({ keys: true, adjusted: ['none'] })
    expect(await page.evaluate(BAR_COLORS)).toBe(5)
    await page.goto(`${demo.base}/orders`)
    await settle(page)
    expect(await page.evaluate(LINES_OF('.risk, .badge', 'border-top-style'))).toEqual(['solid'])
    expect(await page.evaluate(LINES_OF('[aria-current=page]', 'outline-style'))).toEqual(['solid'])
    expect(await page.locator('.risk').first().innerText()).toMatch(
      /^\d+\s+(low|medium|high|critical)/,
    )
  })
})

/** Series differ in their dashes or texture. */
const LEGEND_KEYS = `(() => {
  const keys = [...document.querySelectorAll('.legend, [class*="_legend"]')]
    .map((legend) => [...legend.querySelectorAll('.legend-key')].map(({ innerHTML }) => innerHTML))
  const adjusted = [...document.querySelectorAll('.legend-key')]
    .map((key) => getComputedStyle(key).forcedColorAdjust)
  return {
    keys: keys.every((own) => new Set(own).size === own.length),
    adjusted: [...new Set(adjusted)],
  }
})()`

/** The number of different colors of the bars of a histogram. */
const BAR_COLORS = `new Set([...document.querySelectorAll('main [role=slider] pattern rect')]
  .map((tile) => getComputedStyle(tile).fill)).size`

const LINES_OF = (selector: string, property: string) =>
  `[...new Set([...document.querySelectorAll('${selector}')]
    .map((each) => getComputedStyle(each).getPropertyValue('${property}')))]`

/** A page that is loaded quickly. */
const awayFrom = (pattern: string): string => (pattern === '/checks/new' ? '/lists' : '/checks/new')

async function photograph(page: Page, { pattern }: Stop, folder: string): Promise<void> {
  const name = pattern === '/' ? 'home' : pattern.slice(1).replaceAll(/[/:]+/g, '-')
  const session = await page.context().newCDPSession(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.waitForTimeout(300)
    // WebP takes a quarter of the space of PNG. Playwright itself supports only PNG and JPEG.
    const format = { format: 'webp', quality: 80 } as const
    const { data } = await session.send('Page.captureScreenshot', format)
    writeFileSync(join(folder, `${name}-${colorScheme}.webp`), Buffer.from(data, 'base64'))
  }
  await session.detach()
  await page.emulateMedia({ colorScheme: 'light' })
}
