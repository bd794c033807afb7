/** The home page: first steps, what needs attention, and usage. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/platform/time-units.ts'
import { addDevice } from '../support/mdm.ts'
import { addReview } from '../support/reviews.ts'
import { addEndpoint } from '../support/webhooks.ts'
import { expectFits, expectUsable, HOSTILE, useConsole } from './harness.ts'

const harness = useConsole()
const ago = (ms: number) => new Date(Date.now() - ms)

async function addUsage(org_id: string, days: readonly number[]): Promise<void> {
  const rows = days.flatMap((quantity, day) =>
    (['check', 'order'] as const).map((meter) => ({
      org_id,
      mode: 'live' as const,
      slot_at: new Date(Math.floor(ago(day * DAY_MS).getTime() / 3_600_000) * 3_600_000),
      meter,
      quantity: meter === 'order' ? quantity * 2 : quantity,
      cost_units: quantity * 10_000,
    })),
  )
  await harness().stores.db.insertInto('usage_slots').values(rows).execute()
}

/** Adds one problem of each kind, all with the same name. */
async function addProblems(org_id: string, name: string): Promise<void> {
  const { db } = harness().stores
  await addReview(db, org_id, { created_at: ago(2 * DAY_MS) })
  await addEndpoint(db, {
    org_id,
    url: name,
    status: 'paused',
    pause_reason: 'failing',
    paused_at: ago(DAY_MS),
  })
  await addEndpoint(db, { org_id, url: `${name} 2`, failing_since: ago(DAY_MS) })
  await sql`
    insert into edge_alerts (org_id, id, name, condition, threshold, window_minutes, status,
      last_fired_at, evaluated_until, created_at)
    values (${org_id}, ${randomUUID()}, ${name}, '{"level":"error"}'::jsonb, 1, 5, 'firing', now(),
      now() + interval '1 day', now())`.execute(db)
  await addDevice(db, { org_id, compliance_state: 'non_compliant' })
  const app_id = randomUUID()
  await sql`
    insert into applications (org_id, id, type, environment, name, created_at, updated_at)
    values (${org_id}, ${app_id}, 'flutter', 'live', ${name}, now(), now())`.execute(db)
  await sql`
    insert into push_credentials (application_id, provider, org_id, version, sealed, shown, status,
      error, stored_at)
    values (${app_id}, 'fcm', ${org_id}, ${randomUUID()}, '', '{}', 'needs_attention',
      ${name}, now())`.execute(db)
}

describe('the home page', () => {
  it('shows the first steps with a command that works', async () => {
    const { page, ...shop } = await harness().openNew('/?mode=test')
    await page.getByRole('heading', { name: 'First steps: 0 of 6 done' }).waitFor()
    await page.getByText('existing keys remain valid').waitFor()
    const block = page.getByRole('region', { name: 'Command for the first check' })
    const command = (await block.innerText()).replaceAll('\\\n', ' ')
    const [, url = '', body = ''] = /curl -s (\S+)[\s\S]*-d '(.*)'/.exec(command) ?? []
    const key = { 'x-api-key': shop.keys.test_secret, 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers: key, body })
    expect(answer.status).toBe(200)
    await page.getByRole('button', { name: 'Copy' }).first().click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('/v1/check')
    await expectUsable(page)
    await page.reload()
    await page.getByRole('heading', { name: 'First steps: 1 of 6 done' }).waitFor()
    await page.getByText('Check an e-mail address, done').waitFor()
    await page.getByText('All clear').waitFor()
    await page.getByText('Volume').first().waitFor()
    const member = await harness().open(await shop.join('member'), shop.org_id)
    await member.waitForURL(/mode=test/)
    await member.getByLabel('Mode').selectOption('live')
    await member.getByText('Ask one of them').waitFor()
  })

  it('lists each kind of problem with a link to it', async () => {
    const { org_id, owner } = await harness().createOrganization()
    await addUsage(org_id, [5, 5, 5])
    await addProblems(org_id, 'https://hooks.example/orders')
    const page = await harness().open(owner, org_id)
    const lines = [
      [/1 webhook endpoint is paused/, /\/webhooks\/[-0-9a-f]{36}$/],
      [/1 push credential is refused/, /\/push\/[-0-9a-f]{36}\/setup$/],
      [/1 log alert is firing/, /\/logs\/alerts$/],
      [/1 webhook endpoint is failing/, /\/webhooks\/[-0-9a-f]{36}$/],
      [/1 review waits for a decision/, /\/reviews/],
      [/1 managed device does not comply/, /\/devices\/fleet\?compliance=non_compliant$/],
      [/The balance is -?[\d.]+ credits/, /\/usage/],
    ] as const
    const problems = page.locator('section', { hasText: 'Needs attention' })
    const list = problems.getByRole('list')
    await list.waitFor()
    expect(await list.getByRole('listitem').count()).toBe(lines.length)
    await page.locator('canvas').waitFor()
    await expectUsable(page)
    for (const [name, url] of lines) {
      await page.getByRole('link', { name }).click()
      await page.waitForURL(url)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.getByText('This page does not exist').count()).toBe(0)
      await page.goBack()
      await list.waitFor()
    }
  })

  it('shows the volume per meter and compares it with the previous week', async () => {
    const { org_id, owner } = await harness().createOrganization()
    await addUsage(org_id, [10, 10, 0, 0, 0, 0, 0, 0, 5, 5])
    const page = await harness().open(owner, org_id)
    const checks = page.locator('.stat', { hasText: 'Checks' })
    await checks.getByText('20', { exact: true }).waitFor()
    await checks.getByText('100% more than the previous 7 days').waitFor()
    await page.getByText('30 checks in this period').waitFor()
    await page.getByLabel('Meter').selectOption('order')
    await page.getByText('60 orders in this period').waitFor()
    await page.getByLabel('Period', { exact: true }).selectOption('24h')
    await page.getByText('20 orders in this period').waitFor()
    expect(page.url()).toContain('meter=order&window=24h')
    await page.locator('canvas').waitFor()
    await expectUsable(page)
  })

  it('does not show credits to members', async () => {
    const shop = await harness().createOrganization()
    await addUsage(shop.org_id, [10])
    const page = await harness().open(await shop.join('member'), shop.org_id)
    await page.getByText('All clear').waitFor()
    await page.locator('.stat', { hasText: 'Checks' }).waitFor()
    expect(
      await page
        .getByRole('main')
        .getByText(/credits/i)
        .count(),
    ).toBe(0)
  })

  it('shows hostile texts as text', async () => {
    for (const text of HOSTILE) {
      const { org_id, owner } = await harness().createOrganization()
      await addUsage(org_id, [1])
      await addProblems(org_id, text)
      const page = await harness().open(owner, org_id)
      await page.getByText(text).first().waitFor()
      expect(await page.locator('main img, main script').count()).toBe(0)
      await expectFits(page)
    }
  })
})
