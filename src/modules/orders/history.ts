/**
 * Reads the orders of an organization and the decisions about them in the sequence in which the
 * states learned them.
 */

import type { Owner } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type Label, type LabelRow, readLabelsAfter } from '../reviews/index.ts'
import { findWholeOrders, readOrdersAfter, type WholeOrder } from './store.ts'

/** An order at its arrival, or, with a label, a decision about an earlier order. */
export type HistoryEntry = {
  order: WholeOrder
  label: Label | undefined
  /** The decision that this one replaces. */
  previous: Label | undefined
}

/** Small pages, so that other work of the process is not blocked for long. */
const PAGE_ROWS = 200
/** Ids follow `seq` approximately; no order is further out of place than this. */
const OUT_OF_PLACE_MAX = 10_000
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Pages through the whole history. Entries that arrive during the read may be seen in part, unless
 * the handle belongs to an isolated transaction.
 */
export async function* readHistory(db: Db, owner: Owner): AsyncGenerator<HistoryEntry> {
  const labels = readLabels(db, owner)
  let next = await labels.next()
  for await (const order of readOrders(db, owner)) {
    for (; !next.done && next.value.after_seq < order.seq; next = await labels.next()) {
      yield* decided(db, next.value)
    }
    yield { order, label: undefined, previous: undefined }
  }
  for (; !next.done; next = await labels.next()) yield* decided(db, next.value)
}

/** Yields orders by `seq`. A gap in the sequence does not hold up the orders behind it forever. */
async function* readOrders(db: Db, owner: Owner): AsyncGenerator<WholeOrder> {
  const waiting = new Map<number, WholeOrder>()
  let seq = 1
  for await (const order of readPages(db, owner)) {
    waiting.set(order.seq, order)
    if (waiting.size > OUT_OF_PLACE_MAX && !waiting.has(seq)) seq = leastOf(waiting)
    for (let due = waiting.get(seq); due; due = waiting.get(seq)) {
      waiting.delete(seq)
      seq += 1
      yield due
    }
  }
  yield* [...waiting.values()].toSorted((a, b) => a.seq - b.seq)
}

function leastOf(orders: ReadonlyMap<number, WholeOrder>): number {
  let least = Number.POSITIVE_INFINITY
  for (const seq of orders.keys()) least = Math.min(least, seq)
  return least
}

async function* readPages(db: Db, owner: Owner): AsyncGenerator<WholeOrder> {
  let page: WholeOrder[] = []
  let afterId = FIRST_ID
  do {
    page = await readOrdersAfter(db, owner, afterId, PAGE_ROWS)
    yield* page
    afterId = page.at(-1)?.id ?? afterId
  } while (page.length === PAGE_ROWS)
}

async function* readLabels(db: Db, owner: Owner): AsyncGenerator<LabelRow, undefined> {
  let page: LabelRow[] = []
  do {
    page = await readLabelsAfter(db, { ...owner, subject: 'order' }, page.at(-1), PAGE_ROWS)
    yield* page
  } while (page.length === PAGE_ROWS)
}

/** Yields nothing when retention has deleted the order. */
async function* decided(db: Db, row: LabelRow): AsyncGenerator<HistoryEntry> {
  const { org_id, subject_id: id, decision, decided_at, previous } = row
  const [order] = await findWholeOrders(db, { id }, { org_id })
  if (order) yield { order, label: { decision, decided_at }, previous }
}
