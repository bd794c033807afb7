/**
 * Every page of the console over the month of `vigil demo`: reached by links, filled, accessible in
 * both themes, fitting a phone, and asking nobody but the service. With `SCREENS` set, pictures of all
 * pages are written to docs/screens/.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../../src/platform/package-root.ts'
import { launchChromium } from '../browser/chromium.ts'
import { type DemoProcess, startDemo } from './demo.ts'
import { axeFindings, expectFits } from './desk.ts'
import { readPatterns, type Stop, settle, tour } from './tour.ts'

const SCREENS =
  process.env['SCREENS'] === undefined ? undefined : join(packageRoot(), 'docs/screens')
const SCALE = SCREENS === undefined ? 0.15 : 1
const TOUR_MS = 600_000
const FIRST_LOAD_MAX_BYTES = 150_000

describe('every page', () => {
  let demo: DemoProcess
  let browser: Browser
  let page: Page
  const requested = new Set<string>()
  const broken: string[] = []

  beforeAll(async () => {
    if (SCREENS !== undefined) {
      rmSync(SCREENS, { recursive: true, force: true })
      mkdirSync(SCREENS, { recursive: true })
    }
    demo = await startDemo(SCALE)
    browser = await launchChromium()
    page = await demo.signIn(browser)
    page.on('request', (request) => requested.add(new URL(request.url()).origin))
    page.on('pageerror', (error) => broken.push(`${page.url()}: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error') broken.push(`${page.url()}: ${message.text()}`)
    })
  }, TOUR_MS)
  afterAll(async () => {
    await browser.close()
    await demo.close()
  })

  it(
    'can be reached by links, is there, accessible in both themes, and fits a phone',
    async () => {
      const findings: unknown[] = []
      const titles: string[] = []
      const seen = await tour(page, demo.base, async (stop) => {
        titles.push(stop.title)
        expect(await page.getByText(/Not found|This page broke|could not be loaded/).count()).toBe(
          0,
        )
        findings.push(...(await axeFindings(page)).map((finding) => ({ at: stop.path, finding })))
        await expectFits(page, 360)
        if (SCREENS !== undefined) await photograph(page, stop, SCREENS)
      })
      expect(readPatterns().filter((pattern) => !seen.includes(pattern))).toEqual([])
      expect(findings).toEqual([])
      expect(broken).toEqual([])
      expect(titles.filter((title) => !title.endsWith(' · Vigil'))).toEqual([])
      expect([...requested]).toEqual([demo.origin])
    },
    TOUR_MS,
  )

  it('the first of them needs at most 150 KB of script, compressed', async () => {
    const fresh = await demo.signIn(browser)
    let bytes = 0
    const session = await fresh.context().newCDPSession(fresh)
    const scripts = new Set<string>()
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId)
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

async function photograph(page: Page, { pattern }: Stop, folder: string): Promise<void> {
  const name = pattern === '/' ? 'home' : pattern.slice(1).replaceAll(/[/:]+/g, '-')
  const session = await page.context().newCDPSession(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.waitForTimeout(300)
    // A quarter of what the same picture takes as PNG, which is all that Playwright knows besides JPEG.
    const format = { format: 'webp', quality: 80 } as const
    const { data } = await session.send('Page.captureScreenshot', format)
    writeFileSync(join(folder, `${name}-${colorScheme}.webp`), Buffer.from(data, 'base64'))
  }
  await session.detach()
  await page.emulateMedia({ colorScheme: 'light' })
}
