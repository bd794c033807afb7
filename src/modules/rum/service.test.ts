/** Runs on the real intake and database. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { createValidators } from '../../platform/http/validation.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import type { Mode } from '../../platform/owner.ts'
import { createBilling } from '../billing/index.ts'
import { createIntake } from '../intake/index.ts'
import { createRum, type Rum } from './service.ts'
import { sweepSessions } from './sessions.ts'

// A separate database: usage of organizations that do not exist cannot be posted.
const db = ownDatabase()
const newId = createIds()
const NOON = new Date('2026-03-31T12:00:00.000Z')
const validators = createValidators()

type Given = {
  now?: () => Date
  credits?: number
  credits_required?: boolean
  spool_max_bytes?: number
}

function rumOf({
  now = () => NOON,
  credits = 0,
  spool_max_bytes = 2 ** 40,
  credits_required = false,
}: Given = {}): Rum {
  const intake = createIntake({ db, newId, log: createLog('silent'), spool_max_bytes })
  const clock = { now }
  return createRum({
    db,
    clock,
    newId,
    intake,
    billing: createBilling({ db, newId, clock }),
    validators,
    rum_credits_per_1000: credits,
    json_max_depth: 32,
    credits_required,
  })
}

const view = (n = 0) => ({
  type: 'view',
  timestamp: NOON.getTime() + n,
  view: { name: `Page ${n}` },
})
const live = (org_id: string) => ({ org_id, mode: 'live' as Mode })

async function send(
  rum: Rum,
  owner: { org_id: string; mode: Mode },
  { session_id = 's-1', events = [view()] }: { session_id?: string; events?: unknown[] } = {},
) {
  const body = { session_id, events }
  // Bodies differ unless a test repeats one.
  const bytes = Buffer.from(JSON.stringify({ ...body, nonce: randomUUID() }))
  return await rum.submit(owner, { body, bytes, user_agent: 'Mozilla/5.0 (X11; Linux x86_64)' })
}

async function spooled(orgId: string): Promise<Record<string, unknown>[]> {
  const rows = await db
    .selectFrom('analytics_spool')
    .select(['target', 'entries', 'payload'])
    .where('org_id', '=', orgId)
    .orderBy('id')
    .execute()
  expect(rows.every(({ target }) => target === 'rum_events')).toBe(true)
  const lines = rows.flatMap(({ payload }) => payload.toString().trimEnd().split('\n'))
  expect(lines).toHaveLength(rows.reduce((sum, { entries }) => sum + entries, 0))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('a batch', () => {
  it('is stored event by event, in order, with the context of the events', async () => {
    const org_id = randomUUID()
    const receipt = await send(rumOf(), live(org_id), { events: [view(1), view(2), view(3)] })
    expect(receipt).toMatchObject({ received: 3, processed: 3, message: 'Events received' })
    const rows = await spooled(org_id)
    expect(rows.map((row) => row['view_name'])).toEqual(['Page 1', 'Page 2', 'Page 3'])
    expect(rows[0]).toMatchObject({
      org_id,
      mode: 'live',
      session_id: 's-1',
      received_at: NOON.toISOString(),
      device_class: 'desktop',
    })
    const ids = rows.map((row) => String(row['id']))
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(3)
  })

  it('has all digits of the numbers that were sent', async () => {
    const org_id = randomUUID()
    const text = '{"type":"action","timestamp":0,"order":9007199254740993,"ratio":-0,"far":1e400}'
    const bytes = Buffer.from(`{"session_id":"s-1","events":[${JSON.stringify(view())},${text}]}`)
    const body = JSON.parse(bytes.toString()) as { session_id: string; events: unknown[] }
    await rumOf().submit(live(org_id), { body, bytes, user_agent: undefined })
    expect((await spooled(org_id)).map(({ event }) => event)).toEqual([
      JSON.stringify(view()),
      text,
    ])
  })

  it('does not fail with an invalid event, and reports the number of refused events and the first reason', async () => {
    const org_id = randomUUID()
    const events = [view(1), { type: 'click', timestamp: 0 }, null, view(4)]
    expect(await send(rumOf(), live(org_id), { events })).toMatchObject({
      received: 4,
      processed: 2,
      message:
        'Events received; 2 of 4 refused, the first: events.1.type must be one of session_start, session_end, view, action, error, resource, vital, long_task, log; also refused: events.2',
    })
    expect(await spooled(org_id)).toHaveLength(2)
    expect(await rumOf().usage(live(org_id))).toMatchObject({ events_this_month: 2 })
  })

  it('without a valid event is refused, names the first fault, and is not counted', async () => {
    const org_id = randomUUID()
    const rum = rumOf()
    const events = [{ type: 'error', timestamp: 0, error: {} }, 'view']
    await expect(send(rum, live(org_id), { events })).rejects.toMatchObject({
      status: 400,
      body: {
        message: 'events.0.error.message is required',
        content: { field: 'events.0.error.message' },
      },
    })
    await expect(send(rum, live(org_id), { events: [7] })).rejects.toMatchObject({
      body: { message: 'events.0 must be object', content: { field: 'events.0' } },
    })
    expect(await spooled(org_id)).toEqual([])
    expect(await rum.usage(live(org_id))).toEqual({
      sessions_this_month: 0,
      events_this_month: 0,
      credits_used_this_month: 0,
    })
  })

  it('that is repeated within minutes gets the same response and is counted once', async () => {
    const org_id = randomUUID()
    const body = { session_id: 's-1', events: [view(1), 5] }
    const given = { body, bytes: Buffer.from(JSON.stringify(body)), user_agent: undefined }
    const first = await rumOf().submit(live(org_id), given)
    const again = await rumOf().submit(live(org_id), given)
    expect(again).toEqual({ ...first, is_repeat: true })
    expect(await spooled(org_id)).toHaveLength(1)
    expect(await rumOf().usage(live(org_id))).toMatchObject({
      sessions_this_month: 1,
      events_this_month: 1,
    })
  })

  it('is refused with retry_after while too much data waits for the analytics engine', async () => {
    const org_id = randomUUID()
    const full = rumOf({ spool_max_bytes: 0 })
    await send(full, live(org_id))
    await expect(send(full, live(org_id))).rejects.toMatchObject({
      status: 429,
      body: { content: { retry_after: expect.any(Number) as number } },
    })
    expect(await spooled(org_id)).toHaveLength(1)
  })
})

describe('usage', () => {
  it('counts a session once for any number of batches, even concurrent ones', async () => {
    const org_id = randomUUID()
    const nodes = [rumOf(), rumOf()]
    const sent = Array.from({ length: 60 }, async (_, n) => {
      const rum = nodes[n % 2]
      if (rum) await send(rum, live(org_id), { session_id: `s-${n % 7}`, events: [view(n)] })
    })
    await Promise.all(sent)
    await send(rumOf(), live(org_id), { session_id: 's-3' })
    expect(await rumOf().usage(live(org_id))).toMatchObject({
      sessions_this_month: 7,
      events_this_month: 61,
    })
  })

  it('keeps organizations and modes apart', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    const rum = rumOf({ credits: 1000 })
    await send(rum, live(one))
    await send(rum, { org_id: one, mode: 'test' })
    await send(rum, { org_id: one, mode: 'test' }, { session_id: 's-2' })
    expect(await rum.usage({ org_id: one, mode: 'test' })).toEqual({
      sessions_this_month: 2,
      events_this_month: 2,
      credits_used_this_month: 0,
    })
    expect(await rum.usage(live(one))).toEqual({
      sessions_this_month: 1,
      events_this_month: 1,
      credits_used_this_month: 1,
    })
    expect(await rum.usage(live(other))).toMatchObject({ events_this_month: 0 })
  })

  it('restarts with the calendar month in UTC, by the time of receipt', async () => {
    const org_id = randomUUID()
    let now = new Date('2026-03-31T23:59:59.999Z')
    const rum = rumOf({ now: () => now })
    await send(rum, live(org_id))
    await send(rum, live(org_id), { session_id: 's-2' })
    expect(await rum.usage(live(org_id))).toMatchObject({
      sessions_this_month: 2,
      events_this_month: 2,
    })
    now = new Date('2026-04-01T00:00:00.000Z')
    expect(await rum.usage(live(org_id))).toMatchObject({
      sessions_this_month: 0,
      events_this_month: 0,
    })
    // The session continues, so it counts in April, too.
    await send(rum, live(org_id))
    expect(await rum.usage(live(org_id))).toMatchObject({
      sessions_this_month: 1,
      events_this_month: 1,
    })
  })

  it('costs exactly the configured price, and is reported in whole credits', async () => {
    const org_id = randomUUID()
    const rum = rumOf({ credits: 3 })
    const many = (n: number) => Array.from({ length: n }, (_, index) => view(index))
    await send(rum, live(org_id), { events: many(333) })
    expect(await rum.usage(live(org_id))).toMatchObject({ credits_used_this_month: 0 })
    await send(rum, live(org_id), { events: many(1) })
    expect(await rum.usage(live(org_id))).toMatchObject({ credits_used_this_month: 1 })
    const rows = await db
      .selectFrom('usage_events')
      .select(['meter', 'quantity', 'cost_units'])
      .where('org_id', '=', org_id)
      .orderBy('quantity', 'desc')
      .execute()
    expect(rows).toEqual([
      { meter: 'rum_event', quantity: 333, cost_units: 9990 },
      { meter: 'rum_event', quantity: 1, cost_units: 30 },
    ])
  })

  it('is refused without required credits, if events have a price', async () => {
    const org_id = randomUUID()
    const strict = { credits_required: true }
    await send(rumOf(strict), live(org_id))
    await send(rumOf({ ...strict, credits: 1 }), { org_id, mode: 'test' })
    await expect(send(rumOf({ ...strict, credits: 1 }), live(org_id))).rejects.toMatchObject({
      status: 403,
    })
    expect(await rumOf().usage(live(org_id))).toMatchObject({ events_this_month: 1 })
  })

  it('is unchanged after the sessions of past months are deleted', async () => {
    const org_id = randomUUID()
    const past = new Date('2020-01-31T12:00:00.000Z')
    const rum = rumOf({ now: () => past })
    await send(rum, live(org_id))
    const seen = async () =>
      (await db.selectFrom('rum_sessions').selectAll().where('org_id', '=', org_id).execute())
        .length
    // Sessions are deleted only after a day, because clocks differ.
    expect(await sweepSessions(db, new Date('2020-02-01T11:59:59.000Z'))).toBe(0)
    expect(await seen()).toBe(1)
    expect(await sweepSessions(db, new Date('2020-02-02T00:00:00.000Z'))).toBe(1)
    expect(await seen()).toBe(0)
    expect(await rum.usage(live(org_id))).toMatchObject({ sessions_this_month: 1 })
  })
})
