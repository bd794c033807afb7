/** SQL of checks, and of the event ids that identify their retries. */
import { sql } from 'kysely'
import { lowestIdAt } from '../../platform/ids.ts'
import type { Mode } from '../../platform/owner.ts'
import {
  jsonArray,
  numberArray,
  textArray,
  timeArray,
  uuidArray,
} from '../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { lastStatement } from '../../platform/postgres/dialect.ts'
import { expirePortion } from '../../platform/postgres/partitions/index.ts'
import { insertUsage, type UsageRow } from '../billing/index.ts'
import { insertEvents, type OutboxEvent } from '../events/index.ts'
import { type CheckRisk, upsertCheckRisks } from '../profiles/index.ts'
import type { Explanation } from './result.ts'
import type { CheckResult } from './schema.ts'
import type { CheckTables } from './tables.ts'

/** The request is without its e-mail, which is part of the result. */
export type CheckRow = Pick<
  CheckTables['checks'],
  'id' | 'org_id' | 'mode' | 'request' | 'created_at'
> & {
  result: CheckResult
  explanation: Explanation
}

export type EventIdRow = CheckTables['check_event_ids']

export type EventIdQuery = Pick<EventIdRow, 'org_id' | 'mode' | 'event_id'>

export type CheckInserts = {
  checks: readonly CheckRow[]
  usage: readonly UsageRow[]
  events: readonly OutboxEvent[]
  device_risks: readonly CheckRisk[]
}

/**
 * Writes checks together with their usage, events and device risks in one statement, which must be
 * the last one of its transaction.
 */
export async function insertChecks(
  db: Db,
  { checks: rows, usage, events, device_risks }: CheckInserts,
): Promise<void> {
  if (rows.length === 0) return
  // Few checks find a risky device, so the statement usually does without this part.
  const risks =
    device_risks.length > 0 ? sql`, device_risks as (${upsertCheckRisks(device_risks)})` : sql``
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
 * Reserves event ids for checks. Rows are inserted in the order of their keys, so that two batches
 * cannot deadlock; an insert waits for another transaction that reserves the same id.
 *
 * @returns ids of the checks whose event id was free; the others are retries
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

export type ExplainedCheck = Omit<CheckRow, 'id'>

/** Finds a check for the operator, who does not know its organization; one index probe for each. */
export async function findExplainedCheck(
  db: Db,
  checkId: string,
): Promise<ExplainedCheck | undefined> {
  const { rows } = await sql<ExplainedCheck>`
    select c.org_id, c.mode, c.created_at, c.request, c.result, c.evidence as explanation
    from organizations o join checks c on c.org_id = o.id and c.id = ${checkId}`.execute(db)
  return rows[0]
}

/**
 * Deletes a portion of expired event ids, or then drops a partition of checks.
 * @returns whether something was deleted
 */
export async function expireChecks(db: Database, before: Date): Promise<boolean> {
  if ((await deleteEventIds(db, before)) > 0) return true
  return await expirePortion(db, {
    table: 'checks',
    before,
    deletes_first: true,
    time_column: 'created_at',
  })
}

const EVENT_IDS_AT_ONCE = 5000

/** Event ids are unique at all times, so their table is not divided. Each organization is one look-up in an index. */
async function deleteEventIds(db: Db, before: Date): Promise<number> {
  const isOld = sql`check_id < ${lowestIdAt(before.getTime())}::uuid`
  const { numAffectedRows } = await sql`
    delete from check_event_ids where ctid = any(array(
      select e.place from organizations o cross join lateral (
        select ctid as place from check_event_ids where org_id = o.id and ${isOld}
        order by check_id limit ${sql.lit(EVENT_IDS_AT_ONCE)}) e
      limit ${sql.lit(EVENT_IDS_AT_ONCE)})) and ${isOld}`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
