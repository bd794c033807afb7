/** Opens pages of a site with the SDK. Scripts for the page are strings, because no browser types are installed. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { vi } from 'vitest'
import type { SentEvent, Site } from './site.ts'

export type Visit = { page: Page; context: BrowserContext; close: () => Promise<void> }

/** @param options members of the object for `VigilRum.init`, as script */
export async function visit(
  browser: Browser,
  site: Site,
  path: string,
  options = '',
): Promise<Visit> {
  const context = await browser.newContext()
  const page = await openPage(context, site, path, options)
  return { page, context, close: () => context.close() }
}

/** Opens another page of the same visitor. */
export async function openPage(
  context: BrowserContext,
  site: Site,
  path: string,
  options = '',
): Promise<Page> {
  const page = await context.newPage()
  await page.addInitScript(initScript(site, options))
  await page.goto(site.url(path))
  return page
}

/** Calls `init` on each load of a page. */
const initScript = (site: Site, options: string): string =>
  `addEventListener('DOMContentLoaded', () => {
    if (!self.VigilRum) return
    self.rum = VigilRum.init({ base_url: '${site.baseUrl}', api_key: 'pk_test_1', ${options} })
  })`

/** Flushes until a matching event was received. */
export async function sent(
  page: Page,
  site: Site,
  matches: (event: SentEvent) => boolean,
): Promise<SentEvent> {
  return await vi.waitFor(
    async () => {
      await page.evaluate('rum.flush()')
      const found = site.events().find(matches)
      if (!found) throw new Error(`Not among ${JSON.stringify(site.events())}`)
      return found
    },
    { timeout: 15_000, interval: 100 },
  )
}

/** Waits long enough for requests in progress to arrive. */
export const settle = async (page: Page): Promise<void> => {
  await page.evaluate('new Promise((done) => setTimeout(done, 300))')
}
