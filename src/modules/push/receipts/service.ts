/**
 * Receipts: what apps tell of the notifications that reached them. They are best effort, apart from what
 * providers accepted, and those of many phones are written together.
 */
import { createBatcher } from '../../../platform/batch.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import { type Database, isStatementFault } from '../../../platform/postgres/db.ts'
import type { Receipt, ReceiptKind } from './receipt.ts'
import { countReceipts, type MarkedRecipient, type MessageReceipts, markReceipts } from './store.ts'

export type ReceiptRequest = { message_id: string; subscription_id: string; kind: ReceiptKind }

export type Receipts = {
  /**
   * Only the first of each kind counts, of a recipient that the organisation has and whose subscription
   * is there; others change nothing.
   * @param requests with UUIDs
   * @returns how many name such a recipient, counted before or now
   */
  record(orgId: string, requests: readonly ReceiptRequest[]): Promise<{ known: number }>
}

/** One transaction holds rows of all its messages: another beside it would wait for most of them. */
const BATCHES_IN_FLIGHT_MAX = 1
/** Those of one call go together, however many. */
const RECEIPTS_PER_BATCH_MAX = 2000
const CALLS_PER_BATCH_MAX = 500

export function createReceipts({ db }: { db: Database }): Receipts {
  const batcher = createBatcher<Receipt[], number>({
    run: async (calls) => await retryConflicts(async () => await record(db, calls)),
    items_max: CALLS_PER_BATCH_MAX,
    size_max: RECEIPTS_PER_BATCH_MAX,
    sizeOf: (receipts) => receipts.length,
    batches_in_flight_max: BATCHES_IN_FLIGHT_MAX,
    may_be_one_item: isStatementFault,
  })
  return {
    record: async (org_id, requests) => {
      if (requests.length === 0) return { known: 0 }
      return { known: await batcher.submit(requests.map((request) => ({ org_id, ...request }))) }
    },
  }
}

/** @returns for each call how many of its receipts name a recipient */
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

/** Two organisations may name the same recipient in one batch, and one of them has it. */
const keyOf = ({ org_id, message_id, subscription_id }: Omit<Receipt, 'kind'>): string =>
  `${org_id} ${message_id} ${subscription_id}`.toLowerCase()
