/**
 * Interactions with pages of the console, and the time from each to the next paint (Event Timing API). The
 * times depend on the load of the machine, so only the interactions themselves are asserted.
 */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Durations have a resolution of 8 ms. */
export const OBSERVE_INTERACTIONS = `
  window.interactions = []
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name } of list.getEntries()) {
      if (interactionId) window.interactions.push({ name, duration })
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })`

type Interaction = { name: string; duration: number }

export const INTERACTIONS: readonly (readonly [
  path: string,
  act: (page: Page) => Promise<void>,
])[] = [
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

/** Prints the number of interactions with the page so far and the longest. */
export async function printInteractions(page: Page, path: string): Promise<void> {
  await page.waitForTimeout(REPORTED_MS)
  const interactions = await page.evaluate<Interaction[]>('window.interactions')
  const longest = Math.max(0, ...interactions.map(({ duration }) => duration))
  console.log(
    `${path}: ${interactions.length} interactions of 16 ms or more, the longest ${longest} ms`,
  )
  // The observer skips shorter interactions, so the list may be empty.
  expect(await page.evaluate('Array.isArray(window.interactions)')).toBe(true)
}

/** The observer is called after the paint. */
const REPORTED_MS = 500
