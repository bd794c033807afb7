/** States in the database, each with the version that tells it from all that were before it. */
import { type RawBuilder, sql } from 'kysely'
import { jsonArray, numberArray, textArray, timeArray, uuidArray } from '../postgres/arrays.ts'
import type { Db } from '../postgres/db.ts'
import type { Versioned } from './memory.ts'
import type { Row, State, Writer } from './step.ts'

/** Ids are unique on their own; the organisation is part of the key for what scales by it. */
export type StateKey = { org_id: string; id: string }

export type StateRow = StateKey & {
  kind: string
  state: State
  version: number
  /** Version of the state that this one was made from; 0 when there was none. */
  made_from: number
  updated_at: Date
}

/**
 * @param isLocked whether nobody else may write them until the transaction ends; in the order of
 *   the keys, so that two transactions never wait for each other in a circle
 * @returns by id; those that do not exist are not in it
 */
export async function readStates(
  db: Db,
  keys: readonly StateKey[],
  isLocked: boolean,
): Promise<Map<string, Versioned>> {
  if (keys.length === 0) return new Map()
  type Found = { id: string; version: number; state: State }
  const asked = keys.toSorted(compare)
  // Lateral with a limit, so that no plan can begin with the whole table, and in the order asked.
  const { rows } = await sql<Found>`
    select s.id, s.version, s.state
    from unnest(
      ${uuidArray(asked.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(asked.map(({ id }) => id))}::uuid[]
    ) as k (org_id, id)
    cross join lateral (
      select * from states s where s.org_id = k.org_id and s.id = k.id limit 1
      ${isLocked ? sql`for no key update` : sql``}) s`.execute(db)
  return new Map(rows.map(({ id, state, version }) => [id, { state, version }]))
}

/**
 * Rows and states in one statement, so that none is without the others. A state that is not the
 * one it was made from any more fails all of it, with the code of a serialisation failure.
 */
export async function writeAll(
  db: Db,
  rows: readonly Row[],
  states: readonly StateRow[],
): Promise<void> {
  const inserts = insertsOf(rows)
  if (states.length > 0) inserts.push(sql`written as (${upsertStates(states)})`)
  if (inserts.length === 0) return
  const check =
    states.length > 0
      ? sql`select refuse_stale_states(${states.length}::integer,
          (count(*) filter (where is_right))::integer) from written`
      : sql`select 1`
  await sql`with ${sql.join(inserts)} ${check}`.execute(db)
}

/** One piece of SQL per writer, each under its name, for the `with` of one statement. */
export const insertsOf = (rows: readonly Row[]): RawBuilder<unknown>[] =>
  [...byWriter(rows)].map(([{ name, write }, of]) => sql`${sql.id(name)} as (${write(of)})`)

/** Whether a row was inserted shows in its `xmax`: nobody has locked it before. */
function upsertStates(states: readonly StateRow[]): RawBuilder<unknown> {
  const rows = states.toSorted(compare)
  return sql`
    insert into states as s (org_id, id, kind, version, made_from, state, updated_at)
    select * from unnest(
      ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(rows.map(({ id }) => id))}::uuid[],
      ${textArray(rows.map(({ kind }) => kind))}::text[],
      ${numberArray(rows.map(({ version }) => version))}::float8[],
      ${numberArray(rows.map(({ made_from }) => made_from))}::float8[],
      ${jsonArray(rows.map(({ state }) => JSON.stringify(state)))}::json[],
      ${timeArray(rows.map(({ updated_at }) => updated_at))}::timestamptz[]
    )
    on conflict (org_id, id) do update set
      version = excluded.version, made_from = excluded.made_from,
      state = excluded.state, updated_at = excluded.updated_at
    where s.version = excluded.made_from
    returning (s.xmax = 0) = (s.made_from = 0) as is_right`
}

/** In an order that depends on the writers alone, so that there are few different statements. */
function byWriter(rows: readonly Row[]): Map<Writer<unknown>, unknown[]> {
  const grouped = new Map<Writer<unknown>, unknown[]>()
  for (const { writer, row } of rows) {
    const group = grouped.get(writer)
    if (group) group.push(row)
    else grouped.set(writer, [row])
  }
  return new Map([...grouped].toSorted(([a], [b]) => (a.name < b.name ? -1 : 1)))
}

const compare = (a: StateKey, b: StateKey): number =>
  a.org_id === b.org_id ? order(a.id, b.id) : order(a.org_id, b.org_id)

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Deletes states of these kinds that were not written since, walking the table by its key.
 *
 * @param after where the portion before ended; undefined starts from the beginning
 * @returns where this one ended; undefined at the end of the table
 */
export async function sweepStates(
  db: Db,
  kinds: readonly string[],
  before: Date,
  after: StateKey = { org_id: NIL, id: NIL },
): Promise<StateKey | undefined> {
  const { rows } = await sql<StateKey>`
    select org_id, id from states
    where (org_id, id) > (${after.org_id}::uuid, ${after.id}::uuid)
    order by org_id, id offset ${sql.lit(SWEEP_ROWS_MAX)} limit 1`.execute(db)
  const last = rows[0] ?? { org_id: MAX, id: MAX }
  // One that is being written right now is not forgotten; it is passed over. By the place in the
  // table, because the planner would rather join the whole table than look up so many keys.
  await sql`
    delete from states where ctid = any(array(
      select ctid from states
      where (org_id, id) > (${after.org_id}::uuid, ${after.id}::uuid)
        and (org_id, id) <= (${last.org_id}::uuid, ${last.id}::uuid)
        and kind = any(${kinds}) and updated_at < ${before}
      for update skip locked))`.execute(db)
  return rows[0]
}

const SWEEP_ROWS_MAX = 5000
const NIL = '00000000-0000-0000-0000-000000000000'
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
