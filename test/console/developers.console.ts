/** What developers do in the browser: keys, the request log, usage and credits. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, HOSTILE, useDesk } from './desk.ts'

const desk = useDesk()
const EXAMPLE = { email: 'jane@mailinator.com', event_type: 'signup' }

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** As a customer's server does it, over the network. */
async function check(key: string, body: object = EXAMPLE): Promise<number> {
  const answer = await fetch(`${desk().origin}/v1/check`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return answer.status
}

/** The key that is shown this once. */
async function takeKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  const key = (await dialog.locator('code').first().textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Copy key' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  return key
}

describe('API keys', () => {
  it('are created, used, rolled and revoked, and the request log shows it', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/developers/keys')
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const first = await takeKey(page)
    expect(first).toMatch(/^sk_test_/)
    expect(await check(first)).toBe(200)

    const hint = `sk_test_…${first.slice(-4)}`
    await page.getByRole('button', { name: `Roll ${hint}` }).click()
    await page.getByRole('button', { name: 'Roll key' }).click()
    const second = await takeKey(page)
    expect([await check(first), await check(second)]).toEqual([401, 200])
    expect(await page.getByText(hint).count()).toBe(0)
    expect(await check(second, { email: 5 })).toBe(400)

    const newHint = `sk_test_…${second.slice(-4)}`
    await page.getByRole('button', { name: `Revoke ${newHint}` }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText(`${newHint} is revoked`).waitFor()
    expect(await check(second)).toBe(401)
    await page.getByLabel('Show revoked keys').check()
    await region(page, 'API keys').getByText(newHint).waitFor()

    await page.goto(`${desk().origin}/console/o/${org_id}/developers/requests?mode=test&live=on`)
    const rows = region(page, 'Requests').locator('tbody tr')
    await rows.nth(2).waitFor()
    expect(await rows.count()).toBe(3)
    const [newest = ''] = await rows.allTextContents()
    expect(newest).toContain('400POST/v1/check')
    expect(newest).toContain(newHint)
    await expectAccessible(page)
    await expectFits(page)
  })

  it('are hidden from members, with a reason', async () => {
    const { org_id, join } = await desk().createShop()
    const page = await desk().open(await join('member'), org_id, '/developers/keys')
    await page.getByText('Owners and admins see and manage API keys').waitFor()
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    await expectAccessible(page)
    await page.goto(`${desk().origin}/console/o/${org_id}/developers/usage`)
    await page.getByText('Owners and admins see the credits').waitFor()
    expect(await page.getByRole('heading', { name: 'Ledger' }).count()).toBe(0)
  })
})

describe('the request log', () => {
  it('is filtered by status, path and key, in the address', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    const hostile = encodeURIComponent(HOSTILE[0])
    await check(keys.live_secret)
    await fetch(`${desk().origin}/v1/check/${hostile}?secret=hidden`, {
      headers: { 'x-api-key': keys.live_secret },
    })
    const page = await desk().open(owner, org_id, '/developers/requests?live=on')
    const rows = region(page, 'Requests').locator('tbody tr')
    await rows.nth(1).waitFor()
    expect(await page.getByText('hidden').count()).toBe(0)
    await page.getByLabel('Live').uncheck()
    await page.getByLabel('Status').selectOption('4xx')
    await rows.nth(1).waitFor({ state: 'detached' })
    expect(page.url()).toContain('status=4xx')
    await page.getByLabel('Path begins with').fill('/v1/nothing')
    await page.getByText('No request of the last day matches').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows.nth(1).waitFor()
    await rows.first().getByRole('link').click()
    await page.waitForURL(/key_id=/)
    await page.getByRole('button', { name: /One key only/ }).click()
    await rows.nth(1).waitFor()
  })

  it('says what to do while it is empty', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/developers/requests')
    await page.getByText('No request with live keys in the last day').waitFor()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link', { name: 'Create an API key' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
  })
})

describe('usage and credits', () => {
  it('show what was used, what is left, and what moved it', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    const { billing } = desk().services
    await billing.grantCredits(org_id, 100, HOSTILE[1], 'first')
    await check(keys.live_secret)
    await check(keys.live_secret)
    await billing.postUsage(new Date())
    const page = await desk().open(owner, org_id, '/developers/usage')
    const stats = page.locator('.stats')
    await stats.getByText('98', { exact: true }).first().waitFor()
    const ledger = region(page, 'Ledger').locator('tbody tr')
    await ledger.nth(1).waitFor()
    const told = await ledger.allTextContents()
    expect(told[0]).toContain('-298')
    expect(told[1]).toContain(`${HOSTILE[1]}+100100`)
    await region(page, 'Usage in all').getByText('Checks').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByLabel('Show').selectOption('credits')
    await page.waitForURL(/shown=credits/)
  })
})
