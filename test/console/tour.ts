/**
 * Through all pages of the console by their own links: from the start, to the first address of every
 * page that a link leads to. A page that no link leads to cannot be found by a user either.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../src/platform/package-root.ts'

export type Stop = { path: string; pattern: string; title: string }

const TEXT_MS = 15_000

/** The patterns of all pages there are, as the areas of the console declare them. */
export function readPatterns(): string[] {
  const folder = join(packageRoot(), 'console', 'src', 'pages')
  return readdirSync(folder).flatMap((area) => {
    const text = readFileSync(join(folder, area, 'pages.ts'), 'utf8')
    return [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, pattern = '']) => pattern)
  })
}

/** @param visit called with each page open and settled @returns the patterns in the order of the visits */
export async function tour(
  page: Page,
  base: string,
  visit: (stop: Stop) => Promise<void>,
): Promise<string[]> {
  const patterns = readPatterns()
  const seen: string[] = []
  // An order that is worth looking at, where there is one.
  const waiting = ['/', '/orders?min_score=70']
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const pattern = patternOf(patterns, path)
    if (pattern === undefined || seen.includes(pattern)) continue
    seen.push(pattern)
    await page.goto(base + path)
    await settle(page)
    await visit({ path, pattern, title: await page.title() })
    const links = await linksIn(page, base)
    waiting.push(...links)
  }
  return seen
}

/** Nothing is loading any more. */
export async function settle(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ timeout: TEXT_MS })
  const spinners = page.locator('main .state .spinner')
  while ((await spinners.count()) > 0) {
    await spinners.first().waitFor({ state: 'detached', timeout: TEXT_MS })
  }
}

async function linksIn(page: Page, base: string): Promise<string[]> {
  const addresses = await page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href]')].map(({ href }) => href)`,
  )
  return addresses.flatMap((address) =>
    address.startsWith(base) ? [address.slice(base.length) || '/'] : [],
  )
}

/** Fixed parts win over parameters. */
function patternOf(patterns: readonly string[], path: string): string | undefined {
  const bare = path.replace(/[?#].*$/, '') || '/'
  const matching = patterns.filter((pattern) => matches(pattern, bare))
  return matching.toSorted((a, b) => count(a, ':') - count(b, ':'))[0]
}

const count = (text: string, sign: string): number => text.split(sign).length

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/:[^/]+/g, '[^/]+')}$`).test(path)
