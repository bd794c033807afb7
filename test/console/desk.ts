/**
 * The console as a user has it: the real service on the engines of the test run, its jobs running, and
 * Chromium in front of it.
 */
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startJobs } from '../../src/jobs.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import type { Plan, Role } from '../../src/platform/postgres/tables/accounts.ts'
import { launchChromium } from '../browser/chromium.ts'
import {
  createTenant,
  type Harness,
  type HarnessOptions,
  openHarness,
  type Tenant,
} from '../harness.ts'

export type User = { email: string; password: string }

export type Desk = Harness & {
  /** Of the service: `http://127.0.0.1:…`. */
  origin: string
  browser: Browser
  /** An organisation with an owner who can sign in. */
  createShop(plan?: Plan): Promise<Shop>
  /** A browser of its own, signed in, on a page of the organisation. */
  open(user: User, orgId: string, path?: string, options?: OpenOptions): Promise<Page>
}

export type Shop = Tenant & {
  owner: User
  /** Another user of the organisation. */
  join(role: Role): Promise<User>
}

export type OpenOptions = { width?: number; height?: number; dark?: boolean }

/** `CONSOLE_BUILD` names another build than the usual one, from the root of the package. */
const BUILD = process.env['CONSOLE_BUILD'] ?? 'build/console'
const PASSWORD = 'correct horse battery staple'
/** Many tests sign in from one address. */
const SETTINGS = { VIGIL_RATE_LIMIT_SIGN_IN: '1000/60', VIGIL_RATE_LIMIT_CONSOLE: '10000/60' }

export function useDesk(options: HarnessOptions = {}): () => Desk {
  let desk: Desk | undefined
  let stopJobs: (() => Promise<void>) | undefined
  const contexts: BrowserContext[] = []

  beforeAll(async () => {
    const settings = { ...SETTINGS, ...options.settings }
    const pages = join(packageRoot(), BUILD)
    const harness = await openHarness({ ...options, settings, pages })
    const { stores, services, config, app } = harness
    stopJobs = startJobs(stores, services, config).stop
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const browser = await launchChromium()
    desk = {
      ...harness,
      origin,
      browser,
      createShop: (plan) => createShop(harness, plan),
      open: async (user, orgId, path = '/', { width = 1280, height = 900, dark = false } = {}) => {
        const context = await browser.newContext({
          viewport: { width, height },
          colorScheme: dark ? 'dark' : 'light',
          permissions: ['clipboard-read', 'clipboard-write'],
          locale: 'en-GB',
          timezoneId: 'Europe/Berlin',
        })
        contexts.push(context)
        const page = await context.newPage()
        refuseScripts(page)
        await page.goto(`${origin}/console/o/${orgId}${path}`)
        await page.getByLabel('E-mail').fill(user.email)
        await page.getByLabel('Password').fill(user.password)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.locator('#content').waitFor()
        return page
      },
    }
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
    expect(breaches.splice(0)).toEqual([])
  })
  afterAll(async () => {
    await desk?.browser.close()
    await stopJobs?.()
    await desk?.close()
  })

  /** What no page may ever do: run what somebody typed, break its policy, or fail in the open. */
  const breaches: string[] = []
  const refuseScripts = (page: Page) => {
    page.on('dialog', (dialog) => {
      breaches.push(`a dialog opened: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('pageerror', (error) => breaches.push(`an error was thrown: ${error.message}`))
    page.on('console', (message) => {
      if (/Content Security Policy|TrustedHTML/i.test(message.text())) breaches.push(message.text())
    })
  }

  return () => {
    if (!desk) throw new Error('the desk is only there inside of tests')
    return desk
  }
}

async function createShop({ services, stores }: Harness, plan?: Plan): Promise<Shop> {
  const tenant = await createTenant(services, plan)
  const addUser = async (role: Role): Promise<User> => {
    const email = `${stores.newId(stores.clock.now())}@vigil.test`
    const user = await services.accounts.createUser({ email, password: PASSWORD })
    if ('refused' in user) throw new Error(`no user: ${user.refused}`)
    await services.accounts.setMember(tenant.org_id, user.user_id, role)
    return { email, password: PASSWORD }
  }
  return { ...tenant, owner: await addUser('owner'), join: addUser }
}

/** No violation that axe knows of, light and dark. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await axeFindings(page)).toEqual([])
}

/** What axe finds wrong with the page, light and dark. */
export async function axeFindings(page: Page): Promise<object[]> {
  const findings: object[] = []
  const before = await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // Transitions of colours would be measured half way.
    await page.waitForTimeout(100)
    const { violations } = await new AxeBuilder({ page }).analyze()
    for (const { id, help, nodes } of violations) {
      for (const { target, failureSummary } of nodes) {
        findings.push({ id, help, target, colorScheme, failureSummary })
      }
    }
  }
  await page.emulateMedia({ colorScheme: before === true ? 'dark' : 'light' })
  return findings
}

/** The page itself does not scroll sideways in a window of this width. */
export async function expectFits(page: Page, width = 360): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width, height: 780 })
  await page.waitForTimeout(100)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  if (before) await page.setViewportSize(before)
}

/** Texts that do harm where they are taken for something else than text. */
export const HOSTILE = [
  `<img src=x onerror="alert('img')">`,
  `"><script>alert('script')</script>`,
  `javascript:alert('link')`,
  `\u202Eevil\u2066 {{7*7}} \${7*7} '; drop table orders; --`,
] as const
