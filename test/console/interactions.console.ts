/**
 * Prints the time from an interaction to the next paint (Event Timing API) with the data of `vigil demo`.
 * Only the interactions themselves are asserted, because the times depend on the load of the machine.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { type DemoProcess, startDemo } from './demo.ts'
import { settle } from './tour.ts'

const SCALE = process.env['SCREENS'] === undefined ? 0.15 : 1

/** Durations have a resolution of 8 ms. */
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
      await page.keyboard.type('https://shop.example.com/hook', { delay: 20 })
      await page.keyboard.press('Escape')
    },
  ],
]

describe('the time from an interaction to the next paint', () => {
  let demo: DemoProcess
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    demo = await startDemo(SCALE)
    browser = await launchChromium()
    // Signs in once, because sign-ins are limited per e-mail and network.
    page = await demo.signIn(browser)
    await page.context().addInitScript(OBSERVE)
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await demo.close()
  })

  it.each(STEPS)('is measured on %s', async (path, act) => {
    await page.goto(demo.base + path)
    await settle(page)
    await act(page)
    await page.waitForTimeout(500)
    const interactions = await page.evaluate<Interaction[]>('window.interactions')
    const longest = Math.max(0, ...interactions.map(({ duration }) => duration))
    console.log(
      `${path}: ${interactions.length} interactions of 16 ms or more, the longest ${longest} ms`,
    )
    // The observer skips shorter interactions, so the list may be empty.
    expect(await page.evaluate('Array.isArray(window.interactions)')).toBe(true)
  })
})
