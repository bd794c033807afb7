/**
 * Jobs of a working day over the data of `vigil demo`, with their clicks, and the tables and words of all lists.
 * The seconds depend on the load of the machine and are only printed.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { type DemoProcess, startDemo } from './demo.ts'
import { settle } from './tour.ts'

const START_MS = 300_000
const SCALE = 0.15
const CLICKS_MAX = 3

let demo: DemoProcess
let browser: Browser
let page: Page
beforeAll(async () => {
  demo = await startDemo(SCALE)
  browser = await launchChromium()
  page = await demo.signIn(browser, { width: 1440, height: 900 })
}, START_MS)
afterAll(async () => {
  await browser.close()
  await demo.close()
})

describe('a job', () => {
  let clicks: number
  let begin: number
  beforeEach(async () => {
    await page.goto(demo.base)
    await settle(page)
    clicks = 0
    begin = performance.now()
  })
  afterEach(({ task }) => {
    const seconds = ((performance.now() - begin) / 1000).toFixed(1)
    console.log(`${task.name}: ${clicks} clicks, ${seconds} s`)
    expect(clicks).toBeLessThanOrEqual(CLICKS_MAX)
  })
  const follow = async (name: string | RegExp) => {
    clicks += 1
    await page.getByRole('link', { name }).first().click()
  }

  it('the cost of this month', async () => {
    const month = page.locator('section', { hasText: 'Cost so far' })
    clicks += 1
    await month.getByRole('link').first().click()
    await page.getByText('So far', { exact: true }).waitFor()
  })

  it('the printer that failed yesterday', async () => {
    await follow(/^Logs/)
    clicks += 1
    await page.getByLabel('Period', { exact: true }).selectOption({ label: 'Yesterday' })
    clicks += 1
    await page.getByRole('button', { name: 'error', exact: true }).click()
    await page
      .getByText(/printer-\d+/)
      .first()
      .waitFor()
  })

  it('an order by a part of its number', async () => {
    await page.goto(`${demo.base}/orders`)
    const link = page.locator('main tbody a[href*="/orders/"]').first()
    await link.waitFor()
    const number = (await link.innerText()).trim()
    await page.goto(demo.base)
    await settle(page)
    begin = performance.now()
    await page.keyboard.press('Control+k')
    await page.keyboard.type(number.slice(1))
    const found = page.getByRole('dialog').getByText(number, { exact: true }).first()
    await found.waitFor()
    clicks += 1
    await found.click()
    await page.getByRole('heading', { level: 1, name: new RegExp(number) }).waitFor()
  })

  it('the cashier who differs most', async () => {
    await follow('Cashiers')
    await page.locator('main tbody a').first().waitFor()
  })

  it('why an order was flagged', async () => {
    await follow('Orders')
    await page.locator('main tbody a[href*="/orders/"]').first().waitFor()
    clicks += 1
    await page.locator('main tbody a[href*="/orders/"]').first().click()
    await page.getByRole('heading', { name: 'Why this score' }).waitFor()
  })
})

const LISTS = ['/orders', '/orders/profiles', '/orders/alerts', '/checks', '/cashiers', '/lists']
const MORE_LISTS = ['/logs/errors', '/logs/alerts', '/logs/devices', '/devices/fleet', '/webhooks']
const LAST_LISTS = ['/developers/keys', '/developers/requests', '/notifications', '/devices/tokens']
const ALL_LISTS = [...LISTS, ...MORE_LISTS, ...LAST_LISTS]
const WIDTHS = [1280, 1440, 1920]
/** Texts of errors and logs are those of their senders. */
const FOREIGN = ['/logs/errors', '/rum/errors']
const WRONG_WORDS = [
  /\b1 [a-z]{3,}s\b(?! (?:ago|than))/,
  /\b\d{1,2}\/\d{1,2}\/\d{2,4}\b/,
  /\bNaN\b|\bundefined\b|\bnull\b|\[object/,
]

describe('lists', () => {
  it.each(ALL_LISTS)('%s is not cut off, and its words are right', async (path) => {
    await page.goto(demo.base + path)
    await settle(page)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll('main .table-frame')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
          .map((frame) => frame.getAttribute('aria-label') + ' at ${width}')`,
      )
      expect(cut).toEqual([])
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    if (FOREIGN.includes(path)) return
    const text = await page.locator('main').innerText()
    expect(WRONG_WORDS.map((pattern) => pattern.exec(text)?.[0]).filter(Boolean)).toEqual([])
  })

  it('orders show 20 rows on a screen', async () => {
    await page.goto(`${demo.base}/orders`)
    await settle(page)
    const shown = await page.evaluate<number>(
      `[...document.querySelectorAll('main tbody tr')]
        .filter((row) => row.getBoundingClientRect().bottom <= window.innerHeight).length`,
    )
    expect(shown).toBeGreaterThanOrEqual(20)
  })
})
