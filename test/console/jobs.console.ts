/**
 * Jobs of a working day over the data of `vigil demo`, with their clicks, and the tables and words of all lists.
 * Typing, keys and choices in fields that a form needs are not clicks. The seconds depend on the load of the machine
 * and are only printed.
 */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { type DemoProcess, startDemo } from './demo.ts'
import { follow, readJobs } from './screen-reader.ts'
import { settle } from './tour.ts'

const START_MS = 300_000
const REPLAY_MS = 180_000
const SCALE = 0.15

let demo: DemoProcess
let browser: Browser
let page: Page
beforeAll(async () => {
  demo = await startDemo(SCALE)
  browser = await launchChromium()
  page = await demo.signIn(browser, { width: 1440, height: 900 })
}, START_MS)
afterAll(async () => {
  await browser.close()
  await demo.close()
})

describe('a job', () => {
  let clicks: number
  let begin: number
  beforeEach(async () => {
    await page.goto(demo.base)
    await settle(page)
    start()
  })
  const start = () => {
    clicks = 0
    begin = performance.now()
  }
  const finish = (job: string, max: number) => {
    const seconds = ((performance.now() - begin) / 1000).toFixed(1)
    console.log(`${job}: ${clicks} of at most ${max} clicks, ${seconds} s`)
    expect(clicks, job).toBeLessThanOrEqual(max)
    start()
  }
  const click = async (target: Locator) => {
    clicks += 1
    await target.first().click()
  }
  const open = async (name: string) =>
    await click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }))
  const press = async (name: string | RegExp) =>
    await click(page.getByRole('button', { name, exact: typeof name === 'string' }))
  const inDialog = async (name: string) =>
    await click(page.getByRole('dialog').getByRole('button', { name, exact: true }))
  const search = async (text: string) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
  }
  /** Opens what the search finds, with keys only. */
  const jump = async (text: string, group: string) => {
    await search(text)
    const found = page.getByRole('dialog').getByRole('group', { name: group, exact: true })
    const option = found.getByRole('option').first()
    await option.waitFor()
    while ((await option.getAttribute('aria-selected')) !== 'true') {
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
  }
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })

  it('decides ten reviews', async () => {
    await open('Review queue')
    for (let decided = 1; decided <= 10; decided += 1) {
      await page.getByRole('heading', { name: 'Why this score' }).waitFor()
      await page.keyboard.press(decided % 2 === 0 ? 'l' : 'f')
      await page.getByText(new RegExp(`^${decided} decided`)).waitFor()
    }
    finish('review ten items', 1)
  })

  it('finds why an order was flagged', async () => {
    await open('Orders')
    await click(page.locator('main tbody a[href*="/orders/"]'))
    await page.getByRole('heading', { name: 'Why this score' }).waitFor()
    finish('why an order was flagged', 2)
  })

  it('finds an order by a part of its number', async () => {
    const number = await firstName('/orders', '/orders/')
    await page.goto(demo.base)
    await settle(page)
    start()
    await search(number.slice(1))
    await click(page.getByRole('dialog').getByText(number, { exact: true }))
    await heading(new RegExp(number)).waitFor()
    finish('an order by a part of its number', 3)
  })

  it('finds the cashier who differs most', async () => {
    await open('Cashiers')
    await page.locator('main tbody a').first().waitFor()
    finish('the cashier who differs most', 1)
  })

  it('finds the printer that failed yesterday', async () => {
    await open('Logs')
    clicks += 1
    await page.getByLabel('Period', { exact: true }).selectOption({ label: 'Yesterday' })
    await press('error')
    await page
      .getByText(/printer-\d+/)
      .first()
      .waitFor()
    finish('the printer that failed yesterday', 3)
  })

  it('creates a log alert', async () => {
    await open('Logs')
    await click(page.getByRole('link', { name: 'Create alert rule…' }))
    await page.getByRole('dialog').getByLabel('Name').fill('Drawers stay open')
    await inDialog('Create alert rule')
    await page.getByText('Alert rule created').first().waitFor()
    finish('a log alert', 3)
  })

  it('creates an endpoint, and finds, retries and replays failed deliveries', async () => {
    await open('Webhooks')
    const urls = page.locator('main tbody a[href*="/webhooks/"]')
    await urls.first().waitFor()
    const { origin } = new URL((await urls.first().innerText()).trim())
    await click(page.getByRole('link', { name: 'New endpoint' }))
    await page.getByLabel('URL').fill(`${origin}/jobs`)
    await page.getByLabel('order.fraud.detected').check()
    await press('Create endpoint')
    await heading('Endpoint created').waitFor()
    finish('an endpoint', 3)

    await press('I have stored it')
    await page.goto(demo.base)
    await settle(page)
    start()
    await click(page.getByRole('link', { name: 'webhook endpoint is failing' }))
    await click(page.getByRole('link', { name: 'Deliveries', exact: true }))
    await click(page.locator('main tbody a[href*="/deliveries/"]'))
    await page.getByRole('region', { name: 'Attempts' }).waitFor()
    finish('a failed delivery', 3)
    await press(/^Retry/)
    await page.getByText('Retry queued').first().waitFor()
    finish('retry a delivery', 1)
    await click(page.getByRole('link', { name: 'Replay', exact: true }))
    await press('Replay')
    await page
      .getByText(/queued/)
      .first()
      .waitFor()
    finish('replay deliveries', 2)
  })

  it('enrolls a phone', async () => {
    await open('Managed devices')
    await click(
      page.getByRole('main').getByRole('link', { name: 'Enrollment tokens', exact: true }),
    )
    await press('New token')
    await inDialog('Create token')
    await page.getByRole('img', { name: /^QR code/ }).waitFor()
    finish('an enrollment token', 4)
  })

  it('locks a device', async () => {
    await page.goto(`${demo.base}/devices/fleet?state=active`)
    await page.locator('main tbody a').first().click()
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor()
    start()
    await press('Lock')
    await inDialog('Lock')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    finish('lock a device, from its page', 2)
  })

  it('sends a push message', async () => {
    await open('Push')
    await click(page.getByRole('main').getByRole('link', { name: /^New message to/ }))
    await page.getByLabel('Title').fill('Fresh bread')
    await page.getByLabel('Body').fill('Until 18:00 today.')
    await press('Send…')
    await inDialog('Send now')
    await page
      .getByText(/^Completed/)
      .first()
      .waitFor()
    finish('a push message', 4)
  })

  it('rolls a key', async () => {
    await jump('roll key', 'Pages and actions')
    await press(/^Roll sk_test/)
    await inDialog('Roll key')
    await page
      .getByRole('dialog')
      .getByText(/^sk_test_/)
      .first()
      .waitFor()
    finish('roll a key', 2)
  })

  it('invites a member', async () => {
    await open('Organization')
    await press('Invite member')
    await page.getByRole('dialog').getByLabel('E-mail').fill('new.member@northwind.example')
    await inDialog('Invite')
    await page.getByRole('dialog', { name: /^Invitation for/ }).waitFor()
    finish('invite a member', 3)
  })

  it('changes, replays, applies and rolls back a rule', { timeout: REPLAY_MS }, async () => {
    await open('Rules lab')
    await page.getByRole('slider').first().focus()
    for (let n = 0; n < 8; n += 1) await page.keyboard.press('ArrowRight')
    await press('Start replay')
    await page.getByRole('button', { name: 'Apply…' }).waitFor({ timeout: REPLAY_MS })
    finish('change a rule and replay it', 2)
    await press('Apply…')
    await page.getByRole('dialog').getByLabel('Note').fill('More weight')
    await inDialog('Apply')
    await page
      .getByText(/is now active/)
      .first()
      .waitFor()
    finish('apply a rule', 2)
    await jump('rule versions', 'Pages and actions')
    await press(/^Roll back to/)
    await inDialog('Roll back')
    await page
      .getByText(/^Rolled back to/)
      .first()
      .waitFor()
    finish('roll a rule back', 2)
  })

  it('shows the cost of this month', async () => {
    await click(page.locator('section', { hasText: 'Cost so far' }).getByRole('link'))
    await page.getByText('So far', { exact: true }).waitFor()
    finish('the cost of this month', 1)
  })
})

it.each(readJobs())('$name, as the document says for a screen reader', async ({ steps }) => {
  const words = {
    'a part of the number': (await firstName('/orders', '/orders/')).slice(1),
    'the name of the device': await firstName('/devices/fleet?state=active', '/devices/fleet/'),
  }
  await page.goto(demo.base)
  await settle(page)
  await follow(page, steps, words)
})

/** The name of the first row of a list. */
async function firstName(path: string, links: string): Promise<string> {
  await page.goto(demo.base + path)
  const link = page.locator(`main tbody a[href*="${links}"]`).first()
  await link.waitFor()
  return (await link.innerText()).trim()
}

describe('lists', () => {
  it('orders show 20 rows on a screen', async () => {
    await page.goto(`${demo.base}/orders`)
    await settle(page)
    const shown = await page.evaluate<number>(
      `[...document.querySelectorAll('main tbody tr')]
        .filter((row) => row.getBoundingClientRect().bottom <= window.innerHeight).length`,
    )
    expect(shown).toBeGreaterThanOrEqual(20)
  })
})
