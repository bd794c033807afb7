import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { addDevice } from '../../../test/support/mdm.ts'
import { addEndpoint } from '../../../test/support/webhooks.ts'
import { createIds } from '../../platform/ids.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { insertAudit } from '../audit/index.ts'
import type { ComplianceState } from '../mdm/tables.ts'
import type { SubjectName } from './catalog.ts'
import { notify } from './notify.store.ts'
import { createNotificationWatch } from './watch.ts'

const db = ownDatabase()
let isAvailable = true
const watch = createNotificationWatch({
  db,
  directory: db,
  isAnalyticsAvailable: () => Promise.resolve(isAvailable),
})
const newId = createIds()
const now = new Date()
const ago = (ms: number) => new Date(now.getTime() - ms)

async function addOrganization(): Promise<string> {
  const id = randomUUID()
  await sql`insert into organizations (id, name, plan, created_at)
    values (${id}, 'Shop', 'starter', now())`.execute(db)
  return id
}

const reported = async (org_id: string) =>
  (
    await db
      .selectFrom('notifications')
      .select(['subject', 'title', 'resolved_at'])
      .where('org_id', '=', org_id)
      .orderBy('subject')
      .execute()
  ).map(({ subject, resolved_at }) => `${subject}${resolved_at === null ? '' : ' resolved'}`)

it('what is wrong is reported once, by each kind, and ends when it is right again', async () => {
  const org_id = await addOrganization()
  const failing = await addEndpoint(db, { org_id, failing_since: ago(10 * MINUTE_MS) })
  await addEndpoint(db, { org_id, failing_since: now })
  await addEndpoint(db, { org_id, status: 'paused', pause_reason: 'gone', paused_at: now })
  await addEndpoint(db, { org_id, status: 'paused', pause_reason: 'requested', paused_at: now })
  await addDevice(db, { org_id, compliance_state: 'non_compliant', last_report_at: now })
  await addDevice(db, { org_id, last_report_at: ago(4 * DAY_MS) })
  await sql`insert into analytics_spool (org_id, id, mode, target, entries, payload, bytes, created_at)
    values (${org_id}, ${newId(now)}, 'live', 'edge_logs', 1, '{}', 2, ${ago(6 * MINUTE_MS)})`.execute(
    db,
  )
  const application_id = randomUUID()
  await sql`
    insert into applications (org_id, id, type, environment, name, created_at, updated_at)
    values (${org_id}, ${application_id}, 'flutter', 'live', 'Shop', now(), now())`.execute(db)
  await sql`
    insert into push_credentials (application_id, provider, org_id, version, sealed, shown, status,
      error, stored_at)
    values (${application_id}, 'fcm', ${org_id}, ${randomUUID()}, '', '{}', 'needs_attention',
      'The key was refused', now())`.execute(db)
  await sql`insert into ledger_accounts (org_id, kind, balance_units) values (${org_id}, 'wallet', 5)`.execute(
    db,
  )
  await sql`insert into usage_slots (org_id, mode, slot_at, meter, quantity, cost_units)
    values (${org_id}, 'live', ${ago(DAY_MS)}, 'check', 1, 6)`.execute(db)
  const other = await addOrganization()
  await sql`insert into ledger_accounts (org_id, kind, balance_units) values (${other}, 'wallet', 50000)`.execute(
    db,
  )
  const level = async (units: number) =>
    await sql`insert into credit_settings (org_id, low_balance_units) values (${other}, ${units})
      on conflict (org_id) do update set low_balance_units = excluded.low_balance_units`.execute(db)
  await level(50_001)
  const wrong = [
    'credits_low',
    'device_non_compliant',
    'device_silent',
    'logs_delayed',
    'push_credential',
    'webhook_failing',
    'webhook_paused',
  ]
  const runTwice = [watch.minutely, watch.quarterly, watch.minutely, watch.quarterly]
  for (const run of runTwice) await run(now)
  expect(await reported(org_id)).toEqual(wrong)
  expect(await reported(other)).toEqual(['credits_low'])
  await level(50_000)

  await sql`update webhook_endpoints set failing_since = null where id = ${failing.id}`.execute(db)
  await sql`update mdm_devices set compliance_state = 'compliant', last_report_at = now()
    where org_id = ${org_id}`.execute(db)
  await sql`update ledger_accounts set balance_units = 0 where org_id = ${org_id}`.execute(db)
  await watch.minutely(now)
  await watch.quarterly(now)
  expect(await reported(org_id)).toEqual([
    'credits_low resolved',
    'credits_used_up',
    'device_non_compliant resolved',
    'device_silent resolved',
    'logs_delayed',
    'push_credential',
    'webhook_failing resolved',
    'webhook_paused',
  ])
  expect(await reported(other)).toEqual(['credits_low resolved'])
})

it('a managed device is not reported during its grace period, and is when that ends', async () => {
  const org_id = await addOrganization()
  const { id } = await addDevice(db, {
    org_id,
    compliance_state: 'grace_period',
    last_report_at: now,
  })
  const enter = async (state: ComplianceState) =>
    await sql`update mdm_devices set compliance_state = ${state},
        grace_period_expires_at = ${state === 'grace_period' ? now : null}::timestamptz
      where id = ${id}`.execute(db)
  await watch.minutely(now)
  expect(await reported(org_id)).toEqual([])
  await enter('non_compliant')
  for (let run = 0; run < 2; run += 1) await watch.minutely(now)
  expect(await reported(org_id)).toEqual(['device_non_compliant'])
  await enter('grace_period')
  await watch.minutely(now)
  expect(await reported(org_id)).toEqual(['device_non_compliant resolved'])
})

it('an analytics engine that does not respond is reported once, also if nothing waits, until it does', async () => {
  const [org_id, other] = [await addOrganization(), await addOrganization()]
  await sql`insert into usage_slots (org_id, mode, slot_at, meter, quantity, cost_units)
    values (${org_id}, 'live', ${ago(DAY_MS)}, 'edge_log', 1, 0),
      (${org_id}, 'live', ${ago(DAY_MS)}, 'rum_event', 1, 0),
      (${other}, 'live', ${ago(DAY_MS)}, 'check', 1, 0)`.execute(db)
  const pass = async (minutes: number) => {
    await sql`update notification_progress set until = until - ${minutes} * interval '1 minute'
      where name = 'notifications.analytics'`.execute(db)
    for (let run = 0; run < 2; run += 1) await watch.minutely(now)
  }
  isAvailable = false
  for (const minutes of [0, 4]) await pass(minutes)
  expect(await reported(org_id)).toEqual([])
  isAvailable = true
  await pass(0)
  isAvailable = false
  await pass(0)
  await pass(2)
  expect(await reported(org_id)).toEqual([])
  await pass(4)
  expect(await reported(org_id)).toEqual(['logs_delayed'])
  // Logs that wait because of it are the same fault.
  await sql`insert into analytics_spool (org_id, id, mode, target, entries, payload, bytes, created_at)
    values (${org_id}, ${newId(now)}, 'live', 'edge_logs', 1, '{}', 2, ${ago(6 * MINUTE_MS)})`.execute(
    db,
  )
  await pass(1)
  isAvailable = true
  await pass(0)
  expect(await reported(org_id)).toEqual(['logs_delayed'])
  await sql`update analytics_spool set flushed_at = now() where org_id = ${org_id}`.execute(db)
  await pass(0)
  expect(await reported(org_id)).toEqual(['logs_delayed resolved'])
  expect(await reported(other)).toEqual([])
})

it('cases that are critical or wait too long are reported until they are closed', async () => {
  const org_id = await addOrganization()
  await sql`insert into case_settings (org_id, sla_hours, reason_codes)
    values (${org_id}, 2, '[]')`.execute(db)
  const add = async (score: number, hours: number, mode = 'live') =>
    await sql`insert into cases (org_id, id, mode, cause, first_at, last_at, risk_score, items,
        open_items)
      values (${org_id}, ${randomUUID()}, ${mode}, ${`device:${randomUUID()}`}, ${ago(hours * 60 * MINUTE_MS)},
        ${now}, ${score}, 3, 3)`.execute(db)
  await add(69, 1)
  await add(69, 3)
  await add(70, 1)
  await add(95, 3, 'test')
  for (let run = 0; run < 2; run += 1) await watch.minutely(now)
  const titles = await db
    .selectFrom('notifications')
    .select(['title', 'detail', 'link'])
    .where('org_id', '=', org_id)
    .orderBy('title')
    .execute()
  const detail = '3 items wait for a decision.'
  for (const { link } of titles) expect(link).toMatch(/^\/cases\?case=[-0-9a-f]{36}$/)
  expect(titles).toMatchObject([
    { title: 'A case is critical (score 70)', detail },
    { title: 'A case waits longer than its time limit (score 69)', detail },
  ])
  await sql`update cases set closed_at = now(), outcome = 'legitimate' where org_id = ${org_id}`.execute(
    db,
  )
  await watch.minutely(now)
  expect(await reported(org_id)).toEqual(['case_critical resolved', 'case_overdue resolved'])
})

it('a digest of the day before is written once, for organizations that have a route for it', async () => {
  const [shop, quiet, other] = [
    await addOrganization(),
    await addOrganization(),
    await addOrganization(),
  ]
  const day = new Date('2026-03-10T07:00:00Z')
  const channels = async (org_id: string, ids: string[]) =>
    await sql`insert into notification_routes (org_id, id, subject, channel_ids, min_severity,
        repeat_minutes, updated_at)
      values (${org_id}, ${randomUUID()}, 'daily_digest', ${ids}::uuid[], 'notice', 0, now())`.execute(
      db,
    )
  await channels(shop, [randomUUID()])
  await channels(quiet, [randomUUID()])
  await channels(other, [])
  const happened = (
    org_id: string,
    key: string,
    at: string,
    subject: SubjectName = 'log_alert',
  ) => ({
    org_id,
    subject,
    key,
    severity: 'critical' as const,
    is_lasting: subject === 'log_alert',
    title: key,
    link: '/',
    started_at: new Date(at),
  })
  await notify(db, [
    happened(shop, 'long ago', '2026-03-01T12:00:00Z'),
    happened(shop, 'first', '2026-03-09T00:00:00Z'),
    happened(shop, 'rolled', '2026-03-09T12:00:00Z', 'key_rolled'),
    happened(shop, 'rolled before', '2026-03-08T23:59:59Z', 'key_rolled'),
    happened(shop, 'today', '2026-03-10T00:00:00Z'),
    happened(other, 'first', '2026-03-09T12:00:00Z'),
  ])
  for (let run = 0; run < 2; run += 1) await watch.quarterly(day)
  const digests = await db
    .selectFrom('notifications')
    .select(['org_id', 'title', 'detail', 'severity', 'is_lasting'])
    .where('subject', '=', 'daily_digest')
    .where('key', '=', '2026-03-09')
    .execute()
  const facts = { severity: 'notice', is_lasting: false }
  expect(digests).toHaveLength(2)
  expect(digests).toEqual(
    expect.arrayContaining([
      {
        org_id: shop,
        title: 'Digest of 2026-03-09: 3 notifications',
        detail: 'API keys that were rolled: 1\nLog alerts: 2, of which 2 last',
        ...facts,
      },
      {
        org_id: quiet,
        title: 'Digest of 2026-03-09: 0 notifications',
        detail: 'Nothing was reported.',
        ...facts,
      },
    ]),
  )
})

it('new owners and admins, rolled keys and unusual sign-ins are reported once from the audit log', async () => {
  const org_id = await addOrganization()
  await watch.minutely(now)
  const write = async (action: string, details: Record<string, unknown>) => {
    const id = newId(now)
    const facts = { id, at: now, actor_user_id: null, target: 'ann@example.com' }
    await insertAudit(db, org_id, { ...facts, action, details })
  }
  await write('member.role_changed', { from: 'member', to: 'owner' })
  await write('member.role_changed', { from: 'owner', to: 'admin' })
  await write('member.added', { to: 'member' })
  await write('invitation.accepted', { role: 'admin' })
  await write('key.rolled', {})
  await write('sign_in.new_browser', { browser: 'Firefox' })
  await write('single_sign_on.bypassed', { browser: 'Firefox' })
  await watch.minutely(now)
  await watch.minutely(now)
  const rows = await db
    .selectFrom('notifications')
    .select(['title', 'severity'])
    .where('org_id', '=', org_id)
    .execute()
  expect(rows.map(({ title, severity }) => `${severity} ${title}`).toSorted()).toEqual([
    'critical An owner signed in without the required provider',
    'notice ann@example.com signed in from a new browser',
    'warning An API key was rolled: ann@example.com',
    'warning ann@example.com is now admin of the organization',
    'warning ann@example.com is now owner of the organization',
  ])
})

it('a burst of entries of the audit log is reported in one run', async () => {
  const org_id = await addOrganization()
  await watch.minutely(now)
  const count = 450
  for (let n = 0; n < count; n += 1) {
    const facts = { id: newId(now), at: now, actor_user_id: null, target: `key ${n}`, details: {} }
    await insertAudit(db, org_id, { ...facts, action: 'key.rolled' })
  }
  for (let run = 0; run < 2; run += 1) await watch.minutely(now)
  expect(await reported(org_id)).toHaveLength(count)
})
