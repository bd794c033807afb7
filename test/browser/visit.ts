/** Opens pages of a site with the SDK and asks them things. Scripts for the page are text: no types of a browser here. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { vi } from 'vitest'
import type { SentEvent, Site } from './site.ts'

export type Visit = { page: Page; context: BrowserContext; close: () => Promise<void> }

/** `options` are members of the object for `VigilRum.init`, written as script. */
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

/** Another page of the same visitor. */
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

/** Each load of a page calls `init` at the end of its own script. */
const initScript = (site: Site, options: string): string =>
  `addEventListener('DOMContentLoaded', () => {
    if (!self.VigilRum) return
    self.rum = VigilRum.init({ base_url: '${site.baseUrl}', api_key: 'pk_test_1', ${options} })
  })`

/** Flushes until there is an event that fits. */
export async function sent(
  page: Page,
  site: Site,
  fits: (event: SentEvent) => boolean,
): Promise<SentEvent> {
  return await vi.waitFor(
    async () => {
      await page.evaluate('rum.flush()')
      const found = site.events().find(fits)
      if (!found) throw new Error(`Not among ${JSON.stringify(site.events())}`)
      return found
    },
    { timeout: 15_000, interval: 100 },
  )
}

/** Long enough for whatever was on its way to arrive. */
export const settle = async (page: Page): Promise<void> => {
  await page.evaluate('new Promise((done) => setTimeout(done, 300))')
}
