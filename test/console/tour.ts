/**
 * Visits every page of the console by following links from the home page. A page without a link to it is
 * not visited, because users could not find it either.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../src/platform/package-root.ts'

export type Stop = { path: string; pattern: string; title: string }

const TEXT_MS = 15_000

/** The path patterns of all pages, from the `pages.ts` files. */
export function readPatterns(): string[] {
  const folder = join(packageRoot(), 'console', 'src', 'pages')
  return readdirSync(folder).flatMap((area) => {
    const text = readFileSync(join(folder, area, 'pages.ts'), 'utf8')
    return [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, pattern = '']) => pattern)
  })
}

/**
 * @param visit called for each page after it has loaded
 * @returns the patterns in the order of the visits
 */
export async function tour(
  page: Page,
  base: string,
  visit: (stop: Stop) => Promise<void>,
): Promise<string[]> {
  const patterns = readPatterns()
  const seen: string[] = []
  // Orders with a high score have more to show.
  const pending = ['/', '/orders?min_score=70']
  for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
    const pattern = patternOf(patterns, path)
    if (pattern === undefined || seen.includes(pattern)) continue
    seen.push(pattern)
    await page.goto(base + path)
    await settle(page)
    // Before the visit, which may change the size of the window.
    pending.push(...(await linksIn(page, base)))
    await visit({ path, pattern, title: await page.title() })
  }
  return seen
}

/** Waits until nothing on the page is loading. */
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

/** Fixed segments take precedence over parameters. */
function patternOf(patterns: readonly string[], path: string): string | undefined {
  const bare = path.replace(/[?#].*$/, '') || '/'
  const matching = patterns.filter((pattern) => matches(pattern, bare))
  return matching.toSorted((a, b) => count(a, ':') - count(b, ':'))[0]
}

const count = (text: string, sign: string): number => text.split(sign).length

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/:[^/]+/g, '[^/]+')}$`).test(path)
