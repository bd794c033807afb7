/** SQL of the log alert rules and their state. */
import { sql } from 'kysely'
import { timeArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import { counted } from '../../../platform/postgres/counted.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { EdgeTables } from '../tables.ts'
import type { Condition } from './schema.ts'
import type { AlertKind, AlertState } from './state.ts'

type Row = EdgeTables['edge_alerts']
type RuleKey = Pick<Row, 'org_id' | 'id'>
export type AlertRow = Omit<Row, 'condition' | 'kind' | 'version' | 'status' | 'leased_until'> &
  AlertState & { condition: Condition; kind: AlertKind; version: number }
export type NewAlert = Pick<AlertRow, 'org_id' | 'id' | 'created_at' | RuleMember>
type RuleMember = 'name' | 'kind' | 'condition' | 'threshold' | 'window_minutes' | 'ratio_percent'

const COLUMNS = sql`a.org_id, a.id, a.name, a.kind, a.condition, a.threshold, a.window_minutes,
  a.ratio_percent, a.muted_until, a.version, a.status, a.last_fired_at, a.last_resolved_at, a.evaluated_until, a.created_at`

/** @returns undefined if the organization already has the maximum number of rules */
export async function insertAlert(db: Db, alert: NewAlert, alertsMax: number) {
  const { org_id, id, name, kind, condition, threshold, created_at } = alert
  const { rows } = await sql<AlertRow>`
    ${counted(sql`edge_alerts where org_id = ${org_id}`)}
    insert into edge_alerts as a (org_id, id, name, kind, condition, threshold, window_minutes,
      ratio_percent, evaluated_until, created_at)
    select ${org_id}::uuid, ${id}::uuid, ${name}, ${kind}, ${JSON.stringify(condition)}::jsonb,
      ${threshold}::integer, ${alert.window_minutes}::integer, ${alert.ratio_percent}::float8,
      date_trunc('minute', ${created_at}::timestamptz), ${created_at}::timestamptz
    from counted where total < ${alertsMax}::integer
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** Newest first. */
export async function listAlerts(db: Db, orgId: string): Promise<AlertRow[]> {
  const { rows } = await sql<AlertRow>`
    select ${COLUMNS} from edge_alerts a where org_id = ${orgId}
    order by created_at desc, id desc`.execute(db)
  return rows
}

/** @returns undefined if there is no such rule */
export async function updateAlert(
  db: Db,
  { org_id, id, ...rule }: RuleKey & Pick<AlertRow, RuleMember>,
): Promise<AlertRow | undefined> {
  const { rows } = await sql<AlertRow>`
    update edge_alerts a set name = ${rule.name}, kind = ${rule.kind},
      condition = ${JSON.stringify(rule.condition)}::jsonb, threshold = ${rule.threshold}::integer,
      window_minutes = ${rule.window_minutes}::integer,
      ratio_percent = ${rule.ratio_percent}::float8, version = a.version + 1
    where a.org_id = ${org_id} and a.id = ${id} returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** @param until null ends a mute. @returns undefined if there is no such rule */
export async function muteAlert(
  db: Db,
  { org_id, id }: RuleKey,
  until: Date | null,
): Promise<AlertRow | undefined> {
  const { rows } = await sql<AlertRow>`
    update edge_alerts a set muted_until = ${until}::timestamptz
    where a.org_id = ${org_id} and a.id = ${id} returning ${COLUMNS}`.execute(db)
  return rows[0]
}

export async function hasAlert(db: Db, { org_id, id }: RuleKey): Promise<boolean> {
  const { rows } = await sql`
    select 1 from edge_alerts where org_id = ${org_id} and id = ${id}`.execute(db)
  return rows.length > 0
}

/** @returns undefined if there was no such rule */
export async function deleteAlert(db: Db, { org_id, id }: RuleKey): Promise<AlertRow | undefined> {
  const { rows } = await sql<AlertRow>`
    delete from edge_alerts a where a.org_id = ${org_id} and a.id = ${id}
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

export type AlertClaim = {
  /** Logs are in the engine up to now, except for those of these organizations. */
  now: Date
  held: ReadonlyMap<string, Date>
  /** Ids of rules to leave out. */
  except: string[]
  limit: number
  lease_seconds: number
}

/** The rule can be evaluated up to `until`. */
export type ClaimedAlert = AlertRow & { until: Date }

/**
 * Leases rules for which a window has ended, so that no other node evaluates them at the same time.
 * Rules that failed before come last. Leases use the clock of the database, which all nodes share.
 */
export async function claimAlerts(
  db: Db,
  { now, held, except, limit, lease_seconds }: AlertClaim,
): Promise<ClaimedAlert[]> {
  const until = sql`coalesce(h.until, ${now}::timestamptz)`
  const { rows } = await sql<ClaimedAlert>`
    with held as materialized (
      select * from unnest(${uuidArray([...held.keys()])}::uuid[],
        ${timeArray([...held.values()])}::timestamptz[]) as h (org_id, until)
    ), due as materialized (
      select d.org_id, d.id, ${until} as until
      from edge_alerts d left join held h on h.org_id = d.org_id
      where d.evaluated_until < date_trunc('minute', ${until})
        and (d.leased_until is null or d.leased_until < statement_timestamp())
        and d.id <> all(${except}::uuid[])
      order by d.leased_until nulls first, d.evaluated_until, d.id
      limit ${limit}::integer for update of d skip locked
    )
    update edge_alerts a
    set leased_until = statement_timestamp() + make_interval(secs => ${lease_seconds}::float8)
    from due where a.org_id = due.org_id and a.id = due.id
    returning ${COLUMNS}, due.until`.execute(db)
  return rows
}

/** The next state of a claimed rule; the same state if it could not be evaluated. */
export type Settlement = RuleKey & { was: AlertState & { version: number }; next: AlertState }

/**
 * Writes each state only if the rule is still in the state that was evaluated, so that a firing is
 * reported once.
 *
 * @returns the ids that were written
 */
export async function settleAlerts(
  db: Db,
  settlements: readonly Settlement[],
): Promise<Set<string>> {
  const rowsToWrite = settlements.map(({ org_id, id, was, next }) => {
    const { status, last_fired_at, last_resolved_at, evaluated_until } = next
    const state = { status, last_fired_at, last_resolved_at, evaluated_until }
    return { org_id, id, version: was.version, was: was.evaluated_until, ...state }
  })
  const { rows } = await sql<{ id: string }>`
    update edge_alerts a set
      status = g.status, last_fired_at = g.last_fired_at, last_resolved_at = g.last_resolved_at,
      evaluated_until = g.evaluated_until,
      leased_until = case when g.evaluated_until = g.was then g.at end
    from (
      select r.*, statement_timestamp() as at from json_to_recordset(${JSON.stringify(rowsToWrite)}::json) as r (
        org_id uuid, id uuid, version integer, was timestamptz, status text, last_fired_at timestamptz,
        last_resolved_at timestamptz, evaluated_until timestamptz)
    ) g
    where a.org_id = g.org_id and a.id = g.id and a.evaluated_until = g.was
      and a.version = g.version
    returning a.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
