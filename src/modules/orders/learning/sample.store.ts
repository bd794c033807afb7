/**
 * Reads orders with their outcomes for learning: the newest decisions, and a sample of the other
 * orders, which are taken to be legitimate. The number of rows read does not depend on the number of
 * stored orders.
 */
import { sql } from 'kysely'
import { lowestIdAt } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import { uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { recordOf } from '../../risk/index.ts'
import { ORDER_SIGNALS } from '../scoring/signals.ts'
import type { Outcome } from './weights.ts'

export type DatedOutcome = Outcome & { at: Date }

/** Newest decisions about orders that are read. */
const DECISIONS_MAX = 10_000
/** Slices of equal duration, with a few orders from the beginning of each. */
const SLICES = 1000
const ORDERS_PER_SLICE = 10
/** Orders of a slice that are searched for those in the mode. */
const SEARCHED_PER_SLICE = 100

type Row = { id: string; seq: number; created_at: Date; strengths: number[] }
type Decided = Row & { decision: 'confirmed_fraud' | 'legitimate' }
type Sampled = Row & { slice: number }

/** An order is stored with its measurements; the strength of a signal is the first of each. */
const STRENGTHS = sql`array[${sql.join(
  ORDER_SIGNALS.map((signal) => sql`(s.signals -> ${sql.lit(signal)} ->> 0)::integer`),
)}]`

/** @param period from which orders are sampled, and before which they must have arrived */
export async function readOutcomes(
  db: Db,
  owner: Owner,
  { from, to, known_orders }: { from: Date; to: Date; known_orders: number },
): Promise<DatedOutcome[]> {
  const decided = await readDecided(db, owner)
  const frauds = decided.filter(
    ({ decision, created_at }) => decision === 'confirmed_fraud' && created_at >= from,
  )
  const since = frauds.reduce(
    (first, { created_at }) => Math.min(first, created_at.getTime()),
    to.getTime(),
  )
  const sampled = await readSample(db, owner, new Date(since), to)
  const isDecided = new Set(decided.map(({ id }) => id))
  const legitimate = decided.filter(
    ({ decision, created_at }) => decision === 'legitimate' && created_at.getTime() >= since,
  )
  return [
    ...[...frauds, ...legitimate].map((row) => ({
      row,
      weight: 1,
      is_fraud: row.decision === 'confirmed_fraud',
    })),
    ...sampled
      .filter(({ row }) => !isDecided.has(row.id))
      .map(({ row, weight }) => ({ row, weight, is_fraud: false })),
  ]
    .filter(({ row }) => row.seq > known_orders)
    .map(({ row, weight, is_fraud }) => ({
      signals: recordOf(
        ORDER_SIGNALS,
        (signal) => row.strengths[ORDER_SIGNALS.indexOf(signal)] ?? 0,
      ),
      is_fraud,
      weight,
      at: row.created_at,
    }))
}

async function readDecided(db: Db, { org_id, mode }: Owner): Promise<Decided[]> {
  const { rows } = await sql<Decided>`
    with recent as materialized (
      select subject_id, decision, position from review_decisions
      where org_id = ${org_id} and mode = ${mode} and subject = 'order'
      order by position desc limit ${sql.lit(DECISIONS_MAX)}
    ), newest as materialized (
      select distinct on (subject_id) subject_id, decision from recent
      order by subject_id, position desc
    )
    select o.id, o.seq::float8 as seq, o.created_at, n.decision, ${STRENGTHS} as strengths
    from newest n
    -- Lateral with an offset, so that no plan starts with a scan of the whole table.
    cross join lateral (
      select id, seq, created_at, assessment from orders o
      where o.org_id = ${org_id} and o.id = n.subject_id offset 0) o
    cross join lateral (select o.assessment -> 'signals' as signals) s
    order by o.id`.execute(db)
  return rows
}

/** @returns orders with the number of orders that each stands for */
async function readSample(
  db: Db,
  { org_id, mode }: Owner,
  from: Date,
  to: Date,
): Promise<{ row: Sampled; weight: number }[]> {
  const [first, last] = [from.getTime(), to.getTime()]
  if (first >= last) return []
  const bounds = Array.from({ length: SLICES + 1 }, (_, slice) =>
    lowestIdAt(Math.round(first + ((last - first) * slice) / SLICES)),
  )
  const { rows } = await sql<Sampled>`
    select b.slice::integer as slice, o.id, o.seq::float8 as seq, o.created_at,
      ${STRENGTHS} as strengths
    from unnest(${uuidArray(bounds.slice(0, -1))}::uuid[], ${uuidArray(bounds.slice(1))}::uuid[])
      with ordinality as b (from_id, to_id, slice)
    cross join lateral (
      select id, seq, created_at, assessment from (
        select id, mode, seq, created_at, assessment from orders
        where org_id = ${org_id} and id >= b.from_id and id < b.to_id
        order by id limit ${sql.lit(SEARCHED_PER_SLICE)}) searched
      where mode = ${mode} order by id limit ${sql.lit(ORDERS_PER_SLICE)}) o
    cross join lateral (select o.assessment -> 'signals' as signals) s
    order by b.slice, o.id`.execute(db)
  return weighted(rows)
}

/**
 * Orders are numbered, so the numbers at the beginning of two slices show how many orders are
 * between them. Busy hours have fewer rows for their orders than quiet ones, but not less weight.
 */
export function weighted<R extends { slice: number; seq: number }>(
  rows: readonly R[],
): { row: R; weight: number }[] {
  const slices: R[][] = []
  for (const row of rows) {
    const current = slices.at(-1)
    if (current?.[0]?.slice === row.slice) current.push(row)
    else slices.push([row])
  }
  return slices.flatMap((slice, index) => {
    const begin = slice[0]?.seq ?? 0
    const next = slices[index + 1]?.[0]?.seq
    const orders = next === undefined ? slice.length : next - begin
    const weight = Math.max(1, orders / slice.length)
    return slice.map((row) => ({ row, weight }))
  })
}
