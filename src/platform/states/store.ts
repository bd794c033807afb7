/** SQL of the states, each of which has a version that no earlier state had. */
import { type RawBuilder, sql } from 'kysely'
import { numberArray, textArray, timeArray, uuidArray } from '../postgres/arrays.ts'
import type { Db } from '../postgres/db.ts'
import { insertsOf, type Row } from '../postgres/rows.ts'
import type { Versioned } from './memory.ts'
import type { State } from './step.ts'
import type { StateTables } from './tables.ts'

/** Ids are unique on their own; the organization is in the key so that tables can be sharded by it. */
export type StateKey = { org_id: string; id: string }

export type StateRow = Omit<StateTables['states'], 'state' | 'state_text'> & { state: State }

/**
 * @param isLocked whether to lock the rows until the end of the transaction, in the order of the
 *   keys, so that two transactions cannot deadlock
 * @returns states by id, without those that do not exist
 */
export async function readStates(
  db: Db,
  keys: readonly StateKey[],
  isLocked: boolean,
): Promise<Map<string, Versioned>> {
  if (keys.length === 0) return new Map()
  type Found = { id: string; version: number; state: string }
  const sorted = keys.toSorted(compare)
  // A lateral join with a limit keeps the order and prevents a plan that scans the whole table.
  const { rows } = await sql<Found>`
    select s.id, s.version, ${STATE_TEXT} as state
    from unnest(
      ${uuidArray(sorted.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(sorted.map(({ id }) => id))}::uuid[]
    ) as k (org_id, id)
    cross join lateral (
      select * from states s where s.org_id = k.org_id and s.id = k.id limit 1
      ${isLocked ? sql`for no key update` : sql``}) s`.execute(db)
  return new Map(rows.map(({ id, state, version }) => [id, { state: readState(state), version }]))
}

/** The JSON text of a state `s`. */
const STATE_TEXT = sql`coalesce(s.state_text, s.state::text)`

const readState = (text: string): State => JSON.parse(text) as State

/**
 * Writes rows and states in one statement. If a state is not the one that the new state replaces, the
 * whole statement fails with the code of a serialization failure.
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

/** A row that was inserted, not updated, has an `xmax` of 0. */
function upsertStates(states: readonly StateRow[]): RawBuilder<unknown> {
  const rows = states.toSorted(compare)
  return sql`
    insert into states as s (org_id, id, kind, version, made_from, state_text, updated_at)
    select * from unnest(
      ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(rows.map(({ id }) => id))}::uuid[],
      ${textArray(rows.map(({ kind }) => kind))}::text[],
      ${numberArray(rows.map(({ version }) => version))}::float8[],
      ${numberArray(rows.map(({ made_from }) => made_from))}::float8[],
      ${textArray(rows.map(({ state }) => JSON.stringify(state)))}::text[],
      ${timeArray(rows.map(({ updated_at }) => updated_at))}::timestamptz[]
    )
    on conflict (org_id, id) do update set
      version = excluded.version, made_from = excluded.made_from,
      state = null, state_text = excluded.state_text, updated_at = excluded.updated_at
    where s.version = excluded.made_from
    returning (s.xmax = 0) = (s.made_from = 0) as is_right`
}

const compare = (a: StateKey, b: StateKey): number =>
  a.org_id === b.org_id ? order(a.id, b.id) : order(a.org_id, b.org_id)

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Deletes states of these kinds that were last written before a time. Each call covers a range of
 * the table's key.
 * @param after end of the previous range; by default the start of the table
 * @returns end of this range; undefined at the end of the table
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
  // A state that is being written is skipped. Rows are deleted by ctid, because for this many keys
  // the planner would rather join the whole table than look them up.
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
