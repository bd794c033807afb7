/**
 * Through all pages of the console by their own links: from the start, to the first address of every
 * page that a link leads to. A page that no link leads to cannot be found by a user either.
 */
import type { Page } from 'playwright-core'
import { AREAS } from '../../console/src/pages.ts'

export type Stop = { path: string; pattern: string; title: string }

const PAGES = AREAS.flatMap(({ pages }) => pages)
const TEXT_MS = 15_000

/** The patterns of all pages there are. */
export const PATTERNS: readonly string[] = PAGES.map(({ path }) => path)

/** @param visit called with each page open and settled @returns the patterns in the order of the visits */
export async function tour(
  page: Page,
  base: string,
  visit: (stop: Stop) => Promise<void>,
): Promise<string[]> {
  const seen: string[] = []
  const waiting = ['/']
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const found = pageOf(path)
    if (!found || seen.includes(found.path)) continue
    seen.push(found.path)
    await page.goto(base + path)
    await settle(page)
    await visit({ path, pattern: found.path, title: await page.title() })
    const links = await linksIn(page, base)
    waiting.push(...links)
  }
  return seen
}

/** Nothing is loading any more. */
export async function settle(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ timeout: TEXT_MS })
  await page.waitForFunction(`!document.querySelector('main .state .spinner')`, undefined, {
    timeout: TEXT_MS,
  })
}

async function linksIn(page: Page, base: string): Promise<string[]> {
  const addresses = await page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href]')].map(({ href }) => href)`,
  )
  return addresses.flatMap((address) =>
    address.startsWith(base) ? [address.slice(base.length) || '/'] : [],
  )
}

const pageOf = (path: string) => {
  const bare = path.replace(/[?#].*$/, '') || '/'
  // Fixed parts win over parameters, as in the order of the routes.
  return PAGES.find(({ path: pattern }) => matches(pattern, bare))
}

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/:[^/]+/g, '[^/]+').replace(/\/\*.*$/, '/.*')}$`).test(path)
