/** Checks and the event ids that make their retries harmless. */
import { sql } from 'kysely'
import {
  jsonArray,
  numberArray,
  textArray,
  timeArray,
  uuidArray,
} from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { lastStatement } from '../../platform/postgres/dialect.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { insertUsage, type UsageRow } from '../billing/index.ts'
import { insertEvents, type OutboxEvent } from '../events/index.ts'
import { type CheckRisk, noteCheckRisks } from '../profiles/index.ts'
import type { Explanation } from './result.ts'
import type { CheckResult } from './schema.ts'

export type CheckRow = {
  id: string
  org_id: string
  mode: Mode
  /** What was sent besides the e-mail echoed in the result. */
  request: unknown
  result: CheckResult
  explanation: Explanation
  created_at: Date
}

export type EventIdRow = {
  org_id: string
  mode: Mode
  event_id: string
  check_id: string
  payload_hash: Buffer
}

export type EventIdQuery = Pick<EventIdRow, 'org_id' | 'mode' | 'event_id'>

/**
 * Checks with what they cost, cause and say of devices, in one statement, which has to be the last
 * one of its transaction.
 */
export async function insertChecks(
  db: Db,
  rows: readonly CheckRow[],
  usage: readonly UsageRow[],
  events: readonly OutboxEvent[],
  deviceRisks: readonly CheckRisk[],
): Promise<void> {
  if (rows.length === 0) return
  // Few checks say anything bad of a device; the others need not pay for it.
  const risks =
    deviceRisks.length > 0 ? sql`, device_risks as (${noteCheckRisks(deviceRisks)})` : sql``
  const statement = sql`
    with usage as (${insertUsage(usage)}), outbox as (${insertEvents(events)})${risks}
    insert into checks (org_id, id, mode, risk_score, request, result, evidence, created_at)
    select * from unnest(
      ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(rows.map(({ id }) => id))}::uuid[],
      ${textArray(rows.map(({ mode }) => mode))}::text[],
      ${numberArray(rows.map(({ result }) => result.risk_score))}::float8[],
      ${jsonArray(rows.map(({ request }) => JSON.stringify(request)))}::json[],
      ${jsonArray(rows.map(({ result }) => JSON.stringify(result)))}::json[],
      ${jsonArray(rows.map(({ explanation }) => JSON.stringify(explanation)))}::json[],
      ${timeArray(rows.map(({ created_at }) => created_at))}::timestamptz[]
    )`
  await lastStatement(statement).execute(db)
}

/**
 * Takes event ids for their checks. In the order of the keys, so that two batches never wait for
 * each other in a circle; an id that another transaction is taking is waited for.
 *
 * @returns ids of the checks that got theirs; the others are retries
 */
export async function reserveEventIds(db: Db, rows: EventIdRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const { rows: taken } = await sql<{ check_id: string }>`
    insert into check_event_ids (org_id, mode, event_id, check_id, payload_hash)
    select * from unnest(
      ${rows.map(({ org_id }) => org_id)}::uuid[],
      ${rows.map(({ mode }) => mode)}::text[],
      ${rows.map(({ event_id }) => event_id)}::text[],
      ${rows.map(({ check_id }) => check_id)}::uuid[],
      ${rows.map(({ payload_hash }) => payload_hash)}::bytea[]
    ) as i (org_id, mode, event_id, check_id, payload_hash)
    order by org_id, mode, event_id
    on conflict do nothing
    returning check_id`.execute(db)
  return new Set(taken.map(({ check_id }) => check_id))
}

export async function findEventId(db: Db, query: EventIdQuery): Promise<EventIdRow | undefined> {
  return await db
    .selectFrom('check_event_ids')
    .select(['org_id', 'mode', 'event_id', 'check_id', 'payload_hash'])
    .where('org_id', '=', query.org_id)
    .where('mode', '=', query.mode)
    .where('event_id', '=', query.event_id)
    .executeTakeFirst()
}

export async function findResult(
  db: Db,
  orgId: string,
  mode: Mode,
  checkId: string,
): Promise<CheckResult | undefined> {
  const row = await db
    .selectFrom('checks')
    .select('result')
    .where('org_id', '=', orgId)
    .where('id', '=', checkId)
    .where('mode', '=', mode)
    .executeTakeFirst()
  return row?.result as CheckResult | undefined
}

export type ExplainedCheck = {
  org_id: string
  mode: Mode
  created_at: Date
  request: unknown
  result: CheckResult
  explanation: Explanation
}

/** For the operator, who knows the check but not whose it is: one index probe per organisation. */
export async function findExplainedCheck(
  db: Db,
  checkId: string,
): Promise<ExplainedCheck | undefined> {
  const { rows } = await sql<ExplainedCheck>`
    select c.org_id, c.mode, c.created_at, c.request, c.result, c.evidence as explanation
    from organizations o join checks c on c.org_id = o.id and c.id = ${checkId}`.execute(db)
  return rows[0]
}

/** Deletes old checks together with their event ids, a bounded number at a time. @returns how many */
export async function sweepChecks(db: Db, before: Date): Promise<number> {
  const result = await sql`
    with old as (
      select org_id, id from checks where created_at < ${before} limit ${sql.lit(SWEEP_ROWS_MAX)}
    ), gone as (
      delete from check_event_ids e using old where e.org_id = old.org_id and e.check_id = old.id
    )
    delete from checks c using old where c.org_id = old.org_id and c.id = old.id`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
