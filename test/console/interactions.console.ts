/**
 * How long it takes from a key or a click to the next paint, on the month of `vigil demo`: the
 * numbers that browsers call interaction to next paint (Event Timing API). They are printed, and what
 * is asserted is that the interactions took place; a busy machine is not a fault of the program.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { type DemoProcess, startDemo } from './demo.ts'
import { settle } from './tour.ts'

const FULL = process.env['SCREENS'] === undefined ? 0.15 : 1

/** Every interaction is told with its duration, in steps of 8 ms, from the event to the next frame. */
const OBSERVE = `
  window.interactions = []
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name } of list.getEntries()) {
      if (interactionId) window.interactions.push({ name, duration })
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })`

type Interaction = { name: string; duration: number }

const STEPS: readonly (readonly [path: string, act: (page: Page) => Promise<void>])[] = [
  [
    '/',
    async (page) => {
      const choice = page.locator('main select').first()
      await choice.focus()
      for (let n = 0; n < 4; n += 1) await page.keyboard.press('ArrowDown')
    },
  ],
  [
    '/reviews',
    async (page) => {
      for (let n = 0; n < 8; n += 1) {
        await page.keyboard.press('j')
        await page.waitForTimeout(150)
      }
    },
  ],
  [
    '/orders',
    async (page) => {
      await page.getByLabel('Order', { exact: true }).pressSequentially('W2611', { delay: 60 })
      await page
        .getByRole('link', { name: /^[NW]-?/ })
        .first()
        .click()
    },
  ],
  [
    '/logs',
    async (page) => {
      await page.getByRole('button', { name: 'error', exact: true }).click()
      await page.getByRole('button', { name: 'Live tail' }).click()
      await page.waitForTimeout(500)
      for (const key of ['End', 'Home', 'PageDown']) await page.keyboard.press(key)
    },
  ],
  [
    '/rules',
    async (page) => {
      await page.getByRole('slider').first().focus()
      for (let n = 0; n < 8; n += 1) await page.keyboard.press('ArrowRight')
    },
  ],
  [
    '/cashiers',
    async (page) => {
      await page.getByLabel('Action', { exact: true }).focus()
      for (let n = 0; n < 3; n += 1) await page.keyboard.press('ArrowDown')
    },
  ],
  [
    '/webhooks',
    async (page) => {
      await page.getByRole('link', { name: 'New endpoint' }).click()
      await page.keyboard.type('https://shop.example/hook', { delay: 20 })
      await page.keyboard.press('Escape')
    },
  ],
]

describe('from a key or a click to the next paint', () => {
  let demo: DemoProcess
  let browser: Browser
  beforeAll(async () => {
    demo = await startDemo(FULL)
    browser = await launchChromium()
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await demo.close()
  })

  it.each(STEPS)('on %s', async (path, act) => {
    const page = await demo.signIn(browser)
    await page.context().addInitScript(OBSERVE)
    await page.goto(demo.base + path)
    await settle(page)
    await act(page)
    await page.waitForTimeout(500)
    const seen = await page.evaluate<Interaction[]>('window.interactions')
    const longest = Math.max(0, ...seen.map(({ duration }) => duration))
    console.log(`${path}: ${seen.length} interactions of 16 ms or more, the longest ${longest} ms`)
    // Shorter ones are not told; the sign that the observer works is that the page has one.
    expect(await page.evaluate('Array.isArray(window.interactions)')).toBe(true)
    await page.context().close()
  })
})
