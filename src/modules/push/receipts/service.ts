/**
 * Receipts: apps report that a notification was received or clicked. They are best effort and independent
 * of acceptance by the provider; receipts of many phones are written together.
 */
import { createBatcher } from '../../../platform/batch.ts'
import { tooManyRequests } from '../../../platform/http/errors.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import { type Database, isStatementFault } from '../../../platform/postgres/db.ts'
import type { Receipt, ReceiptKind } from './receipt.ts'
import { countReceipts, type MarkedRecipient, type MessageReceipts, markReceipts } from './store.ts'

export type ReceiptRequest = { message_id: string; subscription_id: string; kind: ReceiptKind }

export type Receipts = {
  /**
   * Counts the first receipt of each kind per recipient. Receipts for unknown recipients, recipients of
   * other organizations or deleted subscriptions are ignored (OP-97).
   * @param requests ids must be UUIDs
   * @returns number of receipts that name an existing recipient, whether counted before or now
   */
  record(orgId: string, requests: readonly ReceiptRequest[]): Promise<{ known: number }>
}

/** A transaction locks the rows of all its messages, so a concurrent one would mostly wait for it. */
const BATCHES_IN_FLIGHT_MAX = 1
/** A single call is never split, even if it exceeds this. */
const RECEIPTS_PER_BATCH_MAX = 2000
const CALLS_PER_BATCH_MAX = 500
/** A few seconds of work; more would wait for longer than their senders. */
const CALLS_WAITING_MAX = 10_000
const RETRY_SECONDS = 5

export function createReceipts({ db }: { db: Database }): Receipts {
  const batcher = createBatcher<Receipt[], number>({
    run: async (calls) => await retryConflicts(async () => await record(db, calls)),
    items_max: CALLS_PER_BATCH_MAX,
    size_max: RECEIPTS_PER_BATCH_MAX,
    sizeOf: (receipts) => receipts.length,
    batches_in_flight_max: BATCHES_IN_FLIGHT_MAX,
    may_be_one_item: isStatementFault,
    refusal: { waiting_max: CALLS_WAITING_MAX, error: () => tooManyRequests(RETRY_SECONDS) },
  })
  return {
    record: async (org_id, requests) => {
      if (requests.length === 0) return { known: 0 }
      return { known: await batcher.submit(requests.map((request) => ({ org_id, ...request }))) }
    },
  }
}

/** @returns for each call, the number of its receipts that name an existing recipient */
async function record(db: Database, calls: readonly Receipt[][]): Promise<number[]> {
  const marked = await db.transaction().execute(async (tx) => {
    const found = await markReceipts(tx, calls.flat())
    await countReceipts(tx, sumByMessage(found))
    return found
  })
  const keys = new Set(marked.map(keyOf))
  return calls.map((receipts) => receipts.filter((receipt) => keys.has(keyOf(receipt))).length)
}

function sumByMessage(marked: readonly MarkedRecipient[]): MessageReceipts[] {
  const sums = new Map<string, MessageReceipts>()
  for (const { message_id: id, received, clicked } of marked) {
    if (received + clicked === 0) continue
    const sum = sums.get(id)
    if (!sum) sums.set(id, { id, received, clicked })
    else sums.set(id, { id, received: sum.received + received, clicked: sum.clicked + clicked })
  }
  return [...sums.values()]
}

/** Includes the organization, because another one may name the same recipient in the same batch. */
const keyOf = ({ org_id, message_id, subscription_id }: Omit<Receipt, 'kind'>): string =>
  `${org_id} ${message_id} ${subscription_id}`.toLowerCase()
