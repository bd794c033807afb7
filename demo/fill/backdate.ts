/**
 * Moves messages and deliveries, which the database dates by its own clock, to their time in the story.
 * They were really sent, only later; their durations stay.
 */
import { sql } from 'kysely'
import { durationMs } from '../../src/platform/dispatch/index.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import type { Span } from '../../world/time.ts'

/** Receipts arrive within the next hour, each at a time that follows from its ids. */
export async function backdateMessage(db: Db, id: string, at: Date): Promise<void> {
  await sql`
    update push_recipients set
      settled_at = ${at}::timestamptz + make_interval(secs => 0.2 + abs(hashtext(subscription_id::text) % 900) / 1000.0),
      received_at = case when received_at is not null
        then ${at}::timestamptz + make_interval(secs => 2 + abs(hashtext(subscription_id::text) % 900)) end,
      clicked_at = case when clicked_at is not null
        then ${at}::timestamptz + make_interval(secs => 960 + abs(hashtext(subscription_id::text) % 2600)) end
    where message_id = ${id}`.execute(db)
  await sql`
    update push_messages set created_at = ${at}, send_at = ${at},
      give_up_at = ${at}::timestamptz + (give_up_at - send_at),
      completed_at = ${at}::timestamptz + (completed_at - created_at)
    where id = ${id}`.execute(db)
}

/** Subscriptions are spread over the first half of the story. */
export async function backdateSubscriptions(
  db: Db,
  orgId: string,
  { start, end }: Span,
): Promise<void> {
  const seconds = (end - start) / 2000
  await sql`
    with placed as (
      select application_id, id, ${new Date(start)}::timestamptz + make_interval(
        secs => ${seconds}::float8 * row_number() over (order by id) / count(*) over ()) as at
      from push_subscriptions where org_id = ${orgId}
    )
    update push_subscriptions s set created_at = p.at, updated_at = greatest(p.at, s.invalidated_at),
      token_registered_at = p.at, identified_at = case when s.identified_at is not null then p.at end
    from placed p where s.application_id = p.application_id and s.id = p.id`.execute(db)
}

/** The characters of a UUID of version 7 that hold its time and its version. */
const TIME_CHARS = 14
const ISO = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'

/** Returns the number of deliveries. Their ids contain the time of their events as well. */
export async function backdateDeliveries(db: Db, orgId: string): Promise<number> {
  const created = sql`e.occurred_at + interval '90 milliseconds'`
  const { numAffectedRows } = await sql`
    update webhook_deliveries d set
      id = (left(e.id::text, ${TIME_CHARS}) || substr(d.id::text, ${TIME_CHARS + 1}))::uuid,
      created_at = ${created},
      attempted_at = ${created} + make_interval(secs => d.latency_ms / 1000.0)
        + case when d.attempts > 1 then interval '5.3 seconds' else interval '0' end,
      failed_attempts = case when d.attempts > 1 then jsonb_set(d.failed_attempts, '{0,at}',
        to_jsonb(to_char(${created} + interval '1 second', ${ISO}))) end
    from events e
    where d.org_id = ${orgId} and e.org_id = d.org_id and e.id = d.event_id`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export type FailingEndpoint = {
  endpoint_id: string
  /** Durations, as in the setting */
  schedule: readonly string[]
  since: Date
  end: Date
}

/** Adds the attempts that the schedule would have made since the first failure. */
export async function backdateFailing(
  db: Db,
  { endpoint_id, schedule, since, end }: FailingEndpoint,
): Promise<void> {
  const { rows } = await sql<{
    id: string
    created_at: Date
    response_status: number
    error: string
    latency_ms: number
  }>`
    select id, created_at, response_status, error, latency_ms from webhook_deliveries
    where endpoint_id = ${endpoint_id} and status = 'failed' order by created_at`.execute(db)
  for (const { id, created_at, ...outcome } of rows) {
    const { attempts, next } = attemptsBy(created_at, schedule, end)
    const failed = attempts.map((at) => ({ at: at.toISOString(), ...outcome }))
    await sql`
      update webhook_deliveries set attempts = ${attempts.length}, attempted_at = ${attempts.at(-1) ?? end},
        failed_attempts = ${JSON.stringify(failed)}::jsonb, due_at = ${next ?? null}::timestamptz,
        status = ${next === undefined ? 'exhausted' : 'failed'}
      where endpoint_id = ${endpoint_id} and id = ${id}`.execute(db)
  }
  const first = rows[0]?.created_at ?? since
  await sql`update webhook_endpoints set failing_since = ${first} where id = ${endpoint_id}
    and ${rows.length > 0}`.execute(db)
}

function attemptsBy(created: Date, schedule: readonly string[], end: Date) {
  const attempts = [created]
  let at = created.getTime()
  for (const pause of schedule) {
    at += durationMs(pause) ?? 0
    if (at > end.getTime()) return { attempts, next: new Date(at) }
    attempts.push(new Date(at))
  }
  return { attempts, next: undefined }
}
