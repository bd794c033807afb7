/**
 * SQL of spool rows with errors that have no group yet. They wait under a separate target, which no
 * flusher takes, until they are complete.
 */
import { sql } from 'kysely'
import type { Db } from '../postgres/db.ts'
import { decodePayload, type Encoded, encodePayload } from './payload.ts'
import type { Payload } from './rows.ts'

const SUFFIX = '_ungrouped'

/** The target under which rows for a table wait to be grouped. */
export const ungroupedTarget = (target: string): string => `${target}${SUFFIX}`

export type UngroupedRow = {
  id: string
  org_id: string
  /** Table in the analytics engine. */
  target: string
  lease_id: string
  payload: Payload
}

/**
 * Leases the oldest row of the organization that follows `after` by its id, so that organizations take
 * turns however much each of them has waiting.
 */
export async function claimUngrouped(
  db: Db,
  { after, lease_id, lease_ms }: { after: string; lease_id: string; lease_ms: number },
): Promise<UngroupedRow | undefined> {
  const isDue = sql`target like '%\\_ungrouped'
    and (leased_until is null or leased_until < statement_timestamp())`
  const { rows } = await sql<Omit<UngroupedRow, 'payload'> & Encoded>`
    with following as (
      select org_id, id from analytics_spool where ${isDue} and org_id > ${after}::uuid
      order by org_id, id limit 1 for update skip locked
    ), first as (
      select org_id, id from analytics_spool where ${isDue} and not exists (select from following)
      order by org_id, id limit 1 for update skip locked
    )
    update analytics_spool s set lease_id = ${lease_id}::uuid,
      leased_until = statement_timestamp() + ${lease_ms}::float8 * interval '1 millisecond'
    from (select * from following union all select * from first) f
    where s.org_id = f.org_id and s.id = f.id
    returning s.id, s.org_id, s.lease_id, s.payload, s.bytes,
      left(s.target, ${sql.lit(-SUFFIX.length)}) as target`.execute(db)
  if (!rows[0]) return undefined
  const { payload, bytes, ...row } = rows[0]
  return { ...row, payload: await decodePayload({ payload, bytes }) }
}

/**
 * Writes the grouped rows and hands the row to the flusher, unless the lease was lost. The row counts
 * as new from now on, so that the live tail finds it and it is flushed together with others.
 */
export async function writeGrouped(db: Db, row: UngroupedRow) {
  const { org_id, id, target, lease_id, payload } = row
  await sql`
    update analytics_spool set target = ${target}, payload = ${await encodePayload(payload)},
      bytes = ${payload.rows.length}, lease_id = null, leased_until = null,
      created_at = statement_timestamp()
    where org_id = ${org_id} and id = ${id} and lease_id = ${lease_id}
      and target = ${ungroupedTarget(target)}`.execute(db)
}

/** Another worker can take the row immediately. */
export async function releaseUngrouped(
  db: Db,
  { org_id, id, lease_id }: UngroupedRow,
): Promise<void> {
  await sql`
    update analytics_spool set lease_id = null, leased_until = null
    where org_id = ${org_id} and id = ${id} and lease_id = ${lease_id} and flush_id is null`.execute(
    db,
  )
}
