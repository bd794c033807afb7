/**
 * The console in Chromium, against the real service with its jobs on the database engines of the test
 * run.
 */
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startJobs } from '../../src/app/jobs.ts'
import type { Plan, Role } from '../../src/modules/accounts/tables.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { launchChromium } from '../browser/chromium.ts'
import { ownDatabase } from '../database.ts'
import {
  createTenant,
  type Harness,
  type HarnessOptions,
  openHarness,
  type Tenant,
} from '../harness.ts'
import { axeItems, nextFrames } from './axe-items.ts'

export type User = { email: string; password: string }

export type ConsoleHarness = Harness & {
  /** Origin of the service: `http://127.0.0.1:…`. */
  origin: string
  browser: Browser
  /** Creates an organization with an owner who can sign in. */
  createOrganization(plan?: Plan): Promise<Organization>
  createTwoOrganizations(): Promise<[Organization, Organization]>
  /** Opens a page of the organization in a new browser context and signs in. */
  open(user: User, orgId: string, path?: string, options?: OpenOptions): Promise<Page>
  /** Opens a page of a new organization as its owner. */
  openNew(path?: string, options?: OpenOptions): Promise<Organization & { page: Page }>
}

export type Organization = Tenant & {
  owner: User
  /** Adds another user to the organization. */
  join(role: Role): Promise<User>
}

export type OpenOptions = { width?: number; height?: number; dark?: boolean }

/** A header that a form on another site cannot send. */
const CONSOLE_HEADER = { 'x-vigil-console': '1' }

/** `CONSOLE_BUILD` selects another build, relative to the root of the package. */
const BUILD = process.env['CONSOLE_BUILD'] ?? 'build/console'
const PASSWORD = 'correct horse battery staple'
/** All tests sign in from the same address. */
const SETTINGS = { VIGIL_RATE_LIMIT_SIGN_IN: '1000/60', VIGIL_RATE_LIMIT_CONSOLE: '10000/60' }

/** In another database than other files, because two run at the same time and the jobs of a service work for all organizations. */
export function useConsole(options: HarnessOptions = {}): () => ConsoleHarness {
  const db = ownDatabase()
  let opened: ConsoleHarness | undefined
  let stopJobs: (() => Promise<void>) | undefined
  const contexts: BrowserContext[] = []

  beforeAll(async () => {
    const settings: Record<string, string> = { ...SETTINGS, ...options.settings }
    const pages = join(packageRoot(), BUILD)
    const harness = await openHarness({ db, ...options, settings, pages })
    const { core, parts, app } = harness
    stopJobs = startJobs(core, parts).stop
    // A provider of sign-in has to know the address before the start.
    const port = Number(new URL(settings['VIGIL_PUBLIC_URL'] ?? 'http://127.0.0.1:0').port)
    const origin = await app.listen({ host: '127.0.0.1', port })
    const browser = await launchChromium()
    const create = async (plan?: Plan) => await createOrganization(harness, plan)
    const open: ConsoleHarness['open'] = async (user, orgId, path = '/', view = {}) => {
      const { width = 1280, height = 900, dark = false } = view
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        permissions: ['clipboard-read', 'clipboard-write'],
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
      })
      contexts.push(context)
      const page = await context.newPage()
      watchForBreaches(page)
      await signInIn(context, origin, user)
      await page.goto(`${origin}/console/o/${orgId}${path}`)
      await page.locator('#content').waitFor()
      return page
    }
    opened = {
      ...harness,
      origin,
      browser,
      createOrganization: create,
      createTwoOrganizations: async () => [await create(), await create()],
      open,
      openNew: async (path, view) => {
        const shop = await create()
        return { ...shop, page: await open(shop.owner, shop.org_id, path, view) }
      },
    }
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
    expect(breaches.splice(0)).toEqual([])
  })
  afterAll(async () => {
    await opened?.browser.close()
    await stopJobs?.()
    await opened?.close()
  })

  /** Dialogs, uncaught errors and violations of the content security policy. No page may have any. */
  const breaches: string[] = []
  const watchForBreaches = (page: Page) => {
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
    if (!opened) throw new Error('The harness is only available inside tests')
    return opened
  }
}

/** Signs in with the request of the form, which takes a third of the time. */
async function signInIn(context: BrowserContext, origin: string, user: User): Promise<void> {
  const answer = await context.request.post(`${origin}/console/api/auth/login`, {
    data: { ...user, cookie: true },
    headers: CONSOLE_HEADER,
  })
  expect(answer.status()).toBe(200)
}

/** Opens a page of the console and signs in there, as a user does. */
export async function signInAt(page: Page, url: string, user: User): Promise<void> {
  await page.goto(url)
  await page.getByLabel('E-mail').fill(user.email)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('#content').waitFor()
}

async function createOrganization(
  { services, stores }: Harness,
  plan?: Plan,
): Promise<Organization> {
  const tenant = await createTenant(services, plan)
  const addUser = async (role: Role): Promise<User> => {
    const email = `${stores.newId(stores.clock.now())}@vigil.test`
    const user = await services.accounts.createUser({ email, password: PASSWORD })
    if ('refused' in user) throw new Error(`The user was not created: ${user.refused}`)
    await services.accounts.setMember(tenant.org_id, user.user_id, role)
    return { email, password: PASSWORD }
  }
  return { ...tenant, owner: await addUser('owner'), join: addUser }
}

/** Asserts that axe finds no violation in either theme. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await axeItems(page, ['violations'])).toEqual([])
}

/** Asserts that the page does not scroll horizontally in a window of this width. */
export async function expectFits(page: Page, width = 360): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width, height: 780 })
  await nextFrames(page)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  if (before) await page.setViewportSize(before)
}

/** Asserts that the page is accessible in either theme and fits a narrow window. */
export async function expectUsable(page: Page): Promise<void> {
  await expectAccessible(page)
  await expectFits(page)
}

/** Texts that cause harm if they are treated as anything but text. */
export const HOSTILE = [
  `<img src=x onerror="alert('img')">`,
  `"><script>alert('script')</script>`,
  `javascript:alert('link')`,
  `\u202Eevil\u2066 {{7*7}} \${7*7} '; drop table orders; --`,
] as const
