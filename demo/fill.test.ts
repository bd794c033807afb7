import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownDatabase } from '../test/database.ts'
import { type Harness, openHarness } from '../test/harness.ts'
import { DAY_MS, HOUR_MS } from '../world/time.ts'
import {
  createStoryClock,
  type DemoEmulators,
  type FilledDemo,
  fillDemo,
  startEmulators,
} from './index.ts'
import { enlarge } from './large/index.ts'
import type { Truth } from './story/event.ts'
import { cashierIdOf, storeOf, THIEF } from './story/stores.ts'
import { simulateStory } from './story/story.ts'

const DAYS = 9
const EVENING_MS = 18 * HOUR_MS
/** The last evening, so that the days of the story are the same at every time of the day. */
const END = Math.floor((Date.now() - EVENING_MS) / DAY_MS) * DAY_MS + EVENING_MS
const STORY = { seed: 1, days: DAYS, scale: 0.05, end: END }
/** Retention belongs to the tables, which all test files share. */
const SETTINGS = { VIGIL_EDGE_RETENTION_DAYS: '3650' }

const db = ownDatabase()
const clock = createStoryClock()
const lines: string[] = []
let emulators: DemoEmulators | undefined
let harness: Harness | undefined
let filled: FilledDemo | undefined
let token = ''

beforeAll(async () => {
  emulators = await startEmulators({ clock })
  harness = await openHarness({
    db,
    clock,
    settings: { ...emulators.settings, ...SETTINGS },
    ...emulators.outside,
  })
  filled = await fillDemo(
    { ...harness, clock, emulators, has_logs: true },
    {
      ...STORY,
      end: new Date(STORY.end),
      progress: (line) => lines.push(line),
    },
  )
  const answer = await harness.call<{ access_token: string }>({
    method: 'POST',
    path: '/console/api/auth/login',
    body: filled.owner,
  })
  token = answer.body.content.access_token
}, 300_000)

afterAll(async () => {
  const { telemetry, push, device_management } = harness?.services ?? {}
  const running = [
    ...(telemetry?.flushers ?? []),
    ...(push?.running ?? []),
    ...(device_management?.running ?? []),
  ]
  await Promise.all(running.map((each) => each.stop(1000)))
  await harness?.close()
  await emulators?.close()
})

async function read<Content>(path: string): Promise<Content> {
  const separator = path.includes('?') ? '&' : '?'
  const answer = await harness?.call<Content>({
    method: 'GET',
    path: `${path}${separator}org_id=${filled?.org_id}`,
    token,
  })
  expect(answer?.status, `${path}: ${answer?.body.message}`).toBe(200)
  return answer?.body.content as Content
}

type Rows = Record<string, unknown>[]

describe('a filled demo', () => {
  it('sends notifications to the emulated mail server and Slack', async () => {
    const path = '/console/api/notifications/channels'
    const { channels } = await read<{ channels: { id: string; kind: string }[] }>(path)
    expect(channels.map(({ kind }) => kind).toSorted()).toEqual(['email', 'slack'])
    for (const { id } of channels) {
      const body = { org_id: filled?.org_id }
      const sent = await harness?.call({ method: 'POST', path: `${path}/${id}/test`, body, token })
      expect(sent?.status).toBe(200)
    }
    expect(emulators?.smtp.received.map(({ to }) => to)).toEqual([['operations@northwind.example']])
    expect(emulators?.slack.received).toHaveLength(1)
  })

  it('lets the owner in, and reports progress', () => {
    expect(token).not.toBe('')
    expect(lines.length).toBeGreaterThan(4)
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(5000)
  })

  it('has the thief, and no other cashier, in the queue', async () => {
    const { reviews } = await read<{ reviews: { external_id: string; risk_score: number }[] }>(
      '/console/api/reviews?subject=cashier_action&state=all',
    )
    const thief = cashierIdOf(storeOf(THIEF.store_id), THIEF.cashier)
    expect(reviews.length).toBeGreaterThan(2)
    expect(new Set(reviews.map(({ external_id }) => external_id))).toEqual(new Set([thief]))
  })

  it('has at most 15 open cases, of which some have several items', async () => {
    const { cases } = await read<{ cases: { open_items: number }[] }>(
      '/console/api/cases?limit=200',
    )
    expect(cases.length).toBeGreaterThan(1)
    expect(cases.length).toBeLessThanOrEqual(15)
    const counts = cases.map(({ open_items }) => open_items)
    expect(Math.max(...counts)).toBeGreaterThan(1)
  })

  it('flagged most of the fraud, and few honest orders', async () => {
    const rows = await db
      .selectFrom('orders')
      .select(['external_order_id', 'risk_score'])
      .where('org_id', '=', filled?.org_id ?? '')
      .execute()
    const scores = new Map(rows.map((row) => [row.external_order_id, row.risk_score]))
    const share = (truth: Truth) => {
      const own = simulateStory(STORY).events.flatMap((event) =>
        event.kind === 'order' && event.truth === truth
          ? [scores.get(event.order.external_order_id)]
          : [],
      )
      expect(own.length).toBeGreaterThan(1)
      return own.filter((score) => score !== undefined && score >= 50).length / own.length
    }
    expect(share('card_testing')).toBeGreaterThan(0.7)
    expect(share('device_farm')).toBeGreaterThan(0.4)
    expect(share('honest')).toBeLessThan(0.05)
  })

  it('has decisions by two reviewers, and open reviews', async () => {
    const counts = await read<{ reviews: { decided_by: string | null }[] }>(
      '/console/api/reviews?state=all&limit=200',
    )
    const by = new Set(counts.reviews.map(({ decided_by }) => decided_by))
    expect(by.has(null)).toBe(true)
    expect([...by].filter((each) => each !== null).length).toBeGreaterThan(0)
  })

  it('has logs of all days, an error group that began late, and an alert that fires', async () => {
    const groups = await read<{ error_type: string }[]>('/console/api/edge/errors')
    expect(groups.map(({ error_type }) => error_type)).toContain('PrintHeadError')
    const alerts = await read<{ status: string }[]>('/v1/edge/alerts')
    expect(alerts.map(({ status }) => status)).toContain('firing')
  })

  it('has managed devices in every state of compliance, and commands in every state', async () => {
    const phones = await db
      .selectFrom('mdm_devices')
      .select(['compliance_state', 'state'])
      .execute()
    expect(new Set(phones.map(({ compliance_state }) => compliance_state))).toEqual(
      new Set(['compliant', 'grace_period', 'non_compliant', 'unknown']),
    )
    expect(new Set(phones.map(({ state }) => state))).toEqual(
      new Set(['active', 'deleted', 'provisioning']),
    )
    const commands = await db.selectFrom('mdm_commands').select('status').execute()
    expect(new Set(commands.map(({ status }) => status))).toEqual(
      new Set(['queued', 'sent', 'acknowledged', 'failed', 'expired', 'cancelled']),
    )
  })

  it('has an endpoint that fails, and one that accepted what it had refused', async () => {
    const endpoints = await db
      .selectFrom('webhook_endpoints')
      .select(['id', 'url', 'failing_since'])
      .execute()
    const failing = endpoints.filter(({ failing_since }) => failing_since !== null)
    expect(failing.map(({ url }) => new URL(url).hostname)).toEqual(['crm.northwind.test'])
    const deliveries = await db.selectFrom('webhook_deliveries').selectAll().execute()
    expect(deliveries.some(({ status, attempts }) => status === 'succeeded' && attempts > 1)).toBe(
      true,
    )
    expect(
      deliveries.some(
        ({ status, failed_attempts }) => status === 'failed' && (failed_attempts?.length ?? 0) > 1,
      ),
    ).toBe(true)
    const spread = deliveries.map(({ created_at }) => created_at.getTime())
    expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThan((DAYS - 2) * DAY_MS)
  })

  it('has a credential that needs attention, sent messages, and a scheduled one', async () => {
    const credentials = await db.selectFrom('push_credentials').select('status').execute()
    expect(credentials.map(({ status }) => status).toSorted()).toEqual([
      'active',
      'active',
      'active',
      'needs_attention',
    ])
    const messages = await db.selectFrom('push_messages').selectAll().execute()
    expect(new Set(messages.map(({ status }) => status))).toEqual(
      new Set(['sent', 'partially_failed', 'scheduled']),
    )
    for (const { status, received, clicked, accepted } of messages) {
      if (status === 'scheduled') continue
      expect(received).toBeGreaterThan(0)
      expect(received).toBeLessThanOrEqual(accepted)
      expect(clicked).toBeLessThanOrEqual(received)
    }
  })

  it('has a ledger that balances, with a debit for each day', async () => {
    const balance = await harness?.services.billing.balance(filled?.org_id ?? '')
    expect(balance).toMatchObject({ ledger_difference: 0, usage_difference: 0 })
    const transfers = await db.selectFrom('ledger_transfers').select('created_at').execute()
    expect(transfers.length).toBeGreaterThan(DAYS)
  })

  it.each([
    '/console/api/orders',
    '/console/api/checks',
    '/console/api/checks?mode=test',
    '/console/api/profiles',
    '/console/api/cashiers/actions',
    '/console/api/cashiers/stores',
    '/console/api/edge/devices',
    '/console/api/edge/logs',
    '/console/api/rum/sessions',
    '/console/api/rum/pages',
    '/console/api/rum/errors',
    '/console/api/mdm/devices',
    '/console/api/webhooks',
    '/console/api/push/applications',
    '/console/api/members',
    '/console/api/keys',
    '/console/api/ledger',
  ])('shows something at %s', async (path) => {
    const content = await read<Rows | Record<string, unknown>>(path)
    const lists = Array.isArray(content) ? [content] : Object.values(content).filter(Array.isArray)
    expect(lists.length, JSON.stringify(content).slice(0, 300)).toBeGreaterThan(0)
    expect(lists.some((list) => list.length > 0)).toBe(true)
  })
})

// Last, because it adds to the rows that other tests count.
describe('a large demo', () => {
  const SCALE = 0.002
  let added: Record<string, number> = {}
  beforeAll(async () => {
    if (!harness || !filled) throw new Error('The demo was not filled')
    const { org_id } = filled
    added = await enlarge({
      ...harness,
      has_logs: true,
      org_id,
      scale: SCALE,
      progress: () => undefined,
    })
  }, 300_000)

  const count = async (what: RawBuilder<unknown>): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${what}`.execute(db)
    return rows[0]?.n ?? 0
  }

  it('has the number of rows that the size requires', async () => {
    expect(await count(sql`orders`)).toBeGreaterThanOrEqual(1_000_000 * SCALE)
    expect(await count(sql`webhook_deliveries`)).toBeGreaterThanOrEqual(10_000_000 * SCALE)
    expect(await count(sql`mdm_devices`)).toBeGreaterThanOrEqual(300_000 * SCALE)
    expect(added['edge_logs']).toBeGreaterThan(10_000)
    const months = sql`(select distinct date_trunc('month', created_at) from orders) m`
    expect(await count(months)).toBeGreaterThan(4)
  })

  it('has rows that refer to each other', async () => {
    expect(
      await count(sql`orders o where profile_id is not null
        and not exists (select from profiles p where p.org_id = o.org_id and p.id = o.profile_id
          and (o.request ->> 'external_id' = p.external_id)
          and exists (select from states s where s.org_id = p.org_id and s.id = p.id))`),
    ).toBe(0)
    expect(
      await count(sql`orders where request ->> 'external_order_id' <> external_order_id
        or (request ->> 'ordered_at')::timestamptz <> ordered_at or time_of_id(id) <> created_at`),
    ).toBe(0)
    expect(
      await count(sql`reviews r where subject = 'order' and not exists (select from orders o
        where o.org_id = r.org_id and o.id = r.subject_id and o.external_order_id = r.external_id)`),
    ).toBe(0)
    expect(
      await count(sql`webhook_deliveries d where not exists (select from events e
        where e.org_id = d.org_id and e.id = d.event_id and e.body::json ->> 'id' = e.id::text)`),
    ).toBe(0)
    expect(
      await count(sql`events e where type like 'order.%' and not exists (select from orders o
        where o.org_id = e.org_id and o.id::text = e.body::json #>> '{data,order,id}')`),
    ).toBe(0)
  })

  it('leaves nothing to be sent, and agrees with what is counted', async () => {
    const due = sql`webhook_deliveries where due_at is not null and created_at < now() - interval '20 days'`
    expect(await count(due)).toBe(0)
    const { rows } = await sql<{ devices: number }>`
      select sum(devices)::int as devices from mdm_device_counts`.execute(db)
    expect(rows[0]?.devices).toBe(await count(sql`mdm_devices`))
    const key = filled?.keys.live_secret ?? ''
    const body = { external_order_id: 'one-more', amount_cents: 100, currency: 'EUR' }
    expect((await harness?.post('/v1/orders', body, { key }))?.status).toBe(200)
    const seq = sql<{ n: number }>`select count(*)::int as n from orders
      where seq > (select seq from orders where external_order_id = 'one-more')`
    expect((await seq.execute(db)).rows[0]?.n).toBe(0)
  })
})
