/**
 * Takes pictures of the ten most used pages with the data of `vigil demo`, in both themes and as a phone shows them.
 * The same seed gives the same data in every checkout, so that pictures of two checkouts can be compared.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { type DemoProcess, startDemo } from './demo.ts'
import { settle } from './tour.ts'

const FOLDER = process.env['SCREENSHOTS'] ?? 'screenshots'
/** A third of the month of data is enough for full pages. */
const SCALE = 0.3
const SIZES = [
  { name: '1440', width: 1440, height: 900, themes: ['light', 'dark'] },
  { name: '390', width: 390, height: 844, themes: ['light'] },
] as const
const CHARTS_MS = 700

/** A path, or the first link of a page that the pattern matches. */
type Place = string | { on: string; link: RegExp }
const PLACES: Readonly<Record<string, Place>> = {
  home: '/',
  orders: '/orders',
  order: { on: '/orders?min_score=70', link: /\/orders\/[\da-f-]{36}$/ },
  cases: '/cases',
  case: { on: '/cases', link: /\/cases\?.*case=/ },
  logs: '/logs?range=24h',
  'error-group': { on: '/logs/errors', link: /\/logs\/errors\/\w+/ },
  'managed-devices': '/devices/fleet',
  device: { on: '/devices/fleet', link: /\/devices\/fleet\/[\da-f-]{36}$/ },
  webhooks: '/webhooks',
  deliveries: { on: '/webhooks', link: /\/webhooks\/[\da-f-]{36}$/ },
}

let demo: DemoProcess
let browser: Browser
beforeAll(async () => {
  demo = await startDemo(SCALE)
  browser = await launchChromium()
  mkdirSync(FOLDER, { recursive: true })
})
afterAll(async () => {
  await browser.close()
  await demo.close()
})

it('takes pictures of the most used pages', async () => {
  const page = await demo.signIn(browser, { width: 1440, height: 900 })
  for (const [name, place] of Object.entries(PLACES)) {
    const address = await addressOf(page, place)
    for (const { name: size, width, height, themes } of SIZES) {
      await page.setViewportSize({ width, height })
      await page.goto(name === 'deliveries' ? `${address}/deliveries` : address)
      await settle(page)
      await page.waitForTimeout(CHARTS_MS)
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme })
        await page.waitForTimeout(CHARTS_MS)
        await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`) })
      }
      await page.emulateMedia({ colorScheme: 'light' })
    }
  }
  expect(Object.keys(PLACES).length).toBeGreaterThanOrEqual(10)
})

async function addressOf(page: Page, place: Place): Promise<string> {
  if (typeof place === 'string') return demo.base + place
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(demo.base + place.on)
  await settle(page)
  const links = await page.evaluate<string[]>(
    `[...document.querySelectorAll('main a[href]')].map(({ href }) => href)`,
  )
  const found = links.find((href) => place.link.test(href))
  if (found === undefined) throw new Error(`${place.on} has no link like ${place.link}`)
  return found
}
