/** Developer pages: API keys, the request log, usage and credits. */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectUsable, HOSTILE, useConsole } from './harness.ts'

const harness = useConsole()
const EXAMPLE = { email: 'jane@mailinator.com', event_type: 'signup' }

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Sends a check over the network, as a customer's server does. */
async function check(key: string, body: object = EXAMPLE): Promise<number> {
  const answer = await fetch(`${harness().origin}/v1/check`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return answer.status
}

/** Uses are written once a second, and the list is read again when the page is opened. */
async function lastUse(page: Page, row: Locator): Promise<string> {
  await page.reload()
  await row.waitFor()
  return (await row.textContent()) ?? ''
}

/** Copies the key, which is shown only once. */
async function copyKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  const key = (await dialog.locator('code').first().textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Copy key' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  return key
}

describe('API keys', () => {
  it('are created, used, rolled and revoked, and the request log shows their requests', async () => {
    const { org_id, page } = await harness().openNew('/developers/keys')
    await expectUsable(page)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const first = await copyKey(page)
    expect(first).toMatch(/^sk_test_/)
    expect(await check(first)).toBe(200)

    const hint = `sk_test_…${first.slice(-4)}`
    await page.getByRole('button', { name: `Roll ${hint}` }).click()
    await page.getByLabel('The current key stops working').selectOption('Immediately')
    await page.getByRole('button', { name: 'Roll key' }).click()
    const second = await copyKey(page)
    expect([await check(first), await check(second)]).toEqual([401, 200])
    expect(await page.getByText(hint).count()).toBe(0)
    expect(await check(second, { email: 5 })).toBe(400)

    const newHint = `sk_test_…${second.slice(-4)}`
    await page.getByRole('button', { name: `Revoke ${newHint}` }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText(`${newHint} was revoked`).waitFor()
    expect(await check(second)).toBe(401)
    await page.getByLabel('Show revoked and expired keys').check()
    await region(page, 'API keys').getByText(newHint).waitFor()

    await page.goto(`${harness().origin}/console/o/${org_id}/developers/requests?mode=test&live=on`)
    const rows = region(page, 'Requests').locator('tbody tr')
    await rows.nth(2).waitFor()
    expect(await rows.count()).toBe(3)
    const [newest = ''] = await rows.allTextContents()
    expect(newest).toContain('400POST/v1/check')
    expect(newest).toContain(newHint)
    await expectUsable(page)
  })

  it('have names and limits, show their last use, and work on for a while when they are rolled', async () => {
    const { page } = await harness().openNew('/developers/keys')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByLabel('Name').fill(HOSTILE[0])
    await dialog.getByLabel('Access').selectOption('limited')
    expect(await dialog.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true)
    await dialog.getByLabel(/checks:write/).check()
    await dialog.getByLabel('Allowed networks').fill('127.0.0.1, nowhere')
    await expectUsable(page)
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('must be an address or a range').first().waitFor()
    await dialog.getByLabel('Allowed networks').fill('127.0.0.1, 10.0.0.0/8')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const key = await copyKey(page)
    expect(await check(key)).toBe(200)

    const row = region(page, 'API keys').getByRole('row').filter({ hasText: HOSTILE[0] })
    await row.getByText('127.0.0.1, 10.0.0.0/8').waitFor()
    await expect
      .poll(async () => await lastUse(page, row), { timeout: 20_000 })
      .toContain('/v1/check')
    await expectUsable(page)
    const hint = `sk_test_…${key.slice(-4)}`
    await page.getByRole('button', { name: `Edit ${hint}` }).click()
    await dialog.getByLabel(/checks:write/).uncheck()
    await dialog.getByLabel(/orders:write/).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${hint} was changed`).waitFor()
    expect(await check(key)).toBe(403)
    await page.getByRole('button', { name: `Edit ${hint}` }).click()
    await dialog.getByLabel('Access').selectOption('full')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: `Roll ${hint}` }).click()
    await page.getByRole('button', { name: 'Roll key' }).click()
    const second = await copyKey(page)
    expect([await check(key), await check(second)]).toEqual([200, 200])
    await region(page, 'API keys').getByText('Ending', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: `Roll ${hint}` }).count()).toBe(0)
  })

  it('are hidden from members, with an explanation', async () => {
    const { org_id, join } = await harness().createOrganization()
    const page = await harness().open(await join('member'), org_id, '/developers/keys')
    await page.getByText('Only owners and admins can see and manage API keys').waitFor()
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    await expectAccessible(page)
    await page.goto(`${harness().origin}/console/o/${org_id}/developers/usage`)
    await page.getByText('Only owners and admins can see credits').waitFor()
    expect(await page.getByRole('heading', { name: 'Ledger' }).count()).toBe(0)
  })
})

describe('the request log', () => {
  it('is filtered by status, path and key in the address', async () => {
    const { org_id, owner, keys } = await harness().createOrganization()
    const hostile = encodeURIComponent(HOSTILE[0])
    await check(keys.live_secret)
    await fetch(`${harness().origin}/v1/check/${hostile}?secret=hidden`, {
      headers: { 'x-api-key': keys.live_secret },
    })
    const page = await harness().open(owner, org_id, '/developers/requests?live=on')
    const rows = region(page, 'Requests').locator('tbody tr')
    await rows.nth(1).waitFor()
    expect(await page.getByText('hidden').count()).toBe(0)
    await page.getByLabel('Live').uncheck()
    await page.getByLabel('Status').selectOption('4xx')
    await rows.nth(1).waitFor({ state: 'detached' })
    expect(page.url()).toContain('status=4xx')
    await page.getByLabel('Path begins with').fill('/v1/nothing')
    await page.getByText('No matching requests').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows.nth(1).waitFor()
    await rows.first().getByRole('link').click()
    await page.waitForURL(/key_id=/)
    await page.getByRole('button', { name: /One key only/ }).click()
    await rows.nth(1).waitFor()
  })

  it('says what to do while it is empty', async () => {
    const { page } = await harness().openNew('/developers/requests')
    await page.getByText('No requests with live keys in the last 24 hours').waitFor()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link', { name: 'Create an API key' }).click()
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  })
})

describe('usage and credits', () => {
  it('show usage, remaining credits and the ledger', async () => {
    const { org_id, owner, keys } = await harness().createOrganization()
    const { billing } = harness().services
    await billing.grantCredits(org_id, 100, HOSTILE[1], 'first')
    await check(keys.live_secret)
    await check(keys.live_secret)
    await billing.postUsage(new Date())
    const page = await harness().open(owner, org_id, '/developers/usage')
    const stats = page.locator('.stats')
    await stats.getByText('98', { exact: true }).first().waitFor()
    const ledger = region(page, 'Ledger').locator('tbody tr')
    await ledger.nth(1).waitFor()
    const entries = await ledger.allTextContents()
    expect(entries[0]).toContain('-298')
    expect(entries[1]).toContain(`${HOSTILE[1]}–+100100`)
    expect(entries[0]).toContain('2 checks: 2')
    const heading = page.getByRole('heading', { level: 2, name: 'Costs', exact: true })
    const costs = page.locator('section', { has: heading })
    await costs.getByText('So far').waitFor()
    await costs.getByText('2 credits', { exact: true }).first().waitFor()
    await costs.getByText('Forecast for the whole period').waitFor()
    await region(page, 'Costs by part').getByText('Checks').waitFor()
    await region(page, 'Costs by API key').getByText('2 checks').waitFor()
    const ownKeys = await harness().open(owner, org_id, '/developers/keys')
    const costOf = (text: string) =>
      region(ownKeys, 'API keys').getByRole('row').filter({ hasText: text }).first()
    await costOf('Live, secret').getByRole('link', { name: '2 credits', exact: true }).waitFor()
    await costOf('Test, secret').getByText('Free', { exact: true }).waitFor()
    await expectUsable(ownKeys)
    const download = page.waitForEvent('download')
    await costs.getByRole('button', { name: 'Save the ledger as CSV' }).click()
    expect((await download).suggestedFilename()).toMatch(/^ledger-\d{4}-\d\d-01-.*\.csv$/)
    await costs.getByLabel('Month').selectOption('other')
    await costs.getByLabel('First day').fill('2026-01-01')
    await page.waitForURL(/from=2026-01-01/)
    await region(page, 'Total usage').getByText('Checks').waitFor()
    await expectUsable(page)
    await page.getByLabel('Show').selectOption('credits')
    await page.waitForURL(/shown=credits/)
  })
})
