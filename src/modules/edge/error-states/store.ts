/** SQL of the states of error groups. */
import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import { counted } from '../../../platform/postgres/counted.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { LogReader } from '../logs/reading/store.ts'
import { halvesOf, overHalves } from '../logs/reading/window-sql.ts'
import type { EdgeTables } from '../tables.ts'

type Row = EdgeTables['edge_error_states']
export type StateRow = Row

const COLUMNS = sql`s.org_id, s.mode, s.fingerprint, s.state, s.ignored_until, s.assignee_id,
  s.changed_by, s.changed_at, s.link`

export async function listStates(
  db: Db,
  { org_id, mode }: Owner,
  fingerprints: readonly string[],
): Promise<StateRow[]> {
  const { rows } = await sql<StateRow>`
    select ${COLUMNS} from edge_error_states s
    where org_id = ${org_id} and mode = ${mode} and fingerprint = any(${[...fingerprints]}::text[])
    `.execute(db)
  return rows
}

/** Lists the states of all groups, of which there are at most as many as `upsertState` accepts. */
export async function listAllStates(db: Db, { org_id, mode }: Owner): Promise<StateRow[]> {
  const { rows } = await sql<StateRow>`
    select ${COLUMNS} from edge_error_states s where org_id = ${org_id} and mode = ${mode}
    `.execute(db)
  return rows
}

/**
 * @param change members that are undefined stay
 * @returns undefined if the organization already has the maximum number of states
 */
export async function upsertState(
  db: Db,
  { org_id, mode }: Owner,
  change: Pick<Row, 'fingerprint' | 'changed_by' | 'changed_at'> & {
    state: Row['state'] | undefined
    ignored_until: Date | null
    assignee_id: string | null | undefined
    link: string | null | undefined
  },
  statesMax: number,
): Promise<StateRow | undefined> {
  const { fingerprint, state, ignored_until, assignee_id, link, changed_by, changed_at } = change
  const isState = state !== undefined
  const isAssignee = assignee_id !== undefined
  const isLink = link !== undefined
  const { rows } = await sql<StateRow>`
    ${counted(sql`edge_error_states
      where org_id = ${org_id} and (mode, fingerprint) <> (${mode}, ${fingerprint})`)}
    insert into edge_error_states as s
      (org_id, mode, fingerprint, state, ignored_until, assignee_id, link, changed_by, changed_at)
    select ${org_id}::uuid, ${mode}, ${fingerprint}, ${state ?? 'new'},
      ${ignored_until}::timestamptz, ${assignee_id ?? null}::uuid, ${link ?? null}, ${changed_by}::uuid,
      ${changed_at}::timestamptz
    from counted where total < ${statesMax}::integer
    on conflict (org_id, mode, fingerprint) do update set
      state = case when ${isState}::boolean then excluded.state else s.state end,
      ignored_until = case when ${isState}::boolean then excluded.ignored_until else s.ignored_until end,
      changed_at = case when ${isState}::boolean then excluded.changed_at else s.changed_at end,
      assignee_id = case when ${isAssignee}::boolean then excluded.assignee_id else s.assignee_id end,
      link = case when ${isLink}::boolean then excluded.link else s.link end,
      changed_by = excluded.changed_by
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

export async function isMember(directory: Db, orgId: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from memberships where org_id = ${orgId} and user_id = ${userId}`.execute(directory)
  return rows.length === 1
}

/** Returns the times of the last errors, from the roll-up. @param query.from_ms leaves out earlier ones */
export async function lastErrors(
  reader: LogReader,
  owner: Owner,
  { fingerprints, from_ms }: { fingerprints: readonly string[]; from_ms?: number },
): Promise<Map<string, number>> {
  const halves = halvesOf(owner, from_ms === undefined ? {} : { from_ms })
  const found = overHalves(
    halves,
    (where) => `select error_fingerprint, maxState(timestamp_ms) as lasts from edge_logs
    where ${where} and error_fingerprint in {fingerprints:Array(String)}
    group by error_fingerprint`,
  )
  const rows = await reader.query<{ fingerprint: string; last_ms: number }>(
    `select toString(error_fingerprint) as fingerprint, maxMerge(lasts) as last_ms
    from (${found}) group by error_fingerprint`,
    { ...halves.params, fingerprints },
  )
  return new Map(rows.map(({ fingerprint, last_ms }) => [fingerprint, last_ms]))
}
