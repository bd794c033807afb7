/**
 * Stores batches from devices and browsers in one transaction: a receipt per body, so that a repeated
 * body gets the same response and is neither stored nor charged again; the lines for the analytics
 * engine; and their price at the exact position in the month. Waiting batches share a transaction.
 */

import { createBatcher } from '../../platform/batch.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { type Database, type Db, isStatementFault } from '../../platform/postgres/db.ts'
import { createSpoolGauge, readWaitingBytes } from '../../platform/spool/index.ts'
import { createTurns, type NextTurn } from '../../platform/turns.ts'
import { type IntakeBatch, monthKeyOf } from './batch.ts'
import type { RefusedElement } from './examine.ts'
import { createGroupingBudget, type GroupingBudget } from './grouping-budget.ts'
import { packBatches, type TakenBatch } from './pack.ts'
import { type ReceivedBody, readReceipts, takeBodies, writeGroup } from './store.ts'

export type Receipt = {
  received: number
  processed: number
  message: string
  /** The rejected entries, as far as they are listed. */
  errors: readonly RefusedElement[]
  /** The same body was received before; this one was neither stored nor charged. */
  is_repeat: boolean
}

export type Intake = {
  submit(batch: IntakeBatch): Promise<Receipt>
  /** Seconds until a retry is worthwhile; undefined while the spool has room for the organization. */
  fullFor(orgId: string): number | undefined
  /** Examining large batches takes turns. */
  nextTurn: NextTurn
  /** Limits the time for grouping errors on receipt. */
  grouping: GroupingBudget
  drain(): Promise<void>
}

export type IntakeOptions = {
  db: Database
  newId: NewId
  log: Log
  spool_max_bytes: number
  grouping?: GroupingBudget
}

const GROUP_BATCHES_MAX = 16
/** A group is in memory several times over, both here and in the database. */
const GROUP_BYTES_MAX = 16_777_216
const GROUPS_IN_FLIGHT_MAX = 2
/** Larger batches form separate groups, so that small ones do not wait until they are written. */
const LARGE_BYTES = 524_288
/**
 * Fewer batches wait for the group in flight: a second group of the same organization would wait for
 * its month's row anyway.
 */
const SECOND_GROUP_MIN = 4

export function createIntake(options: IntakeOptions): Intake {
  const { db, newId, log, spool_max_bytes } = options
  const gauge = createSpoolGauge({
    read: async () => await readWaitingBytes(db),
    max_bytes: spool_max_bytes,
    log,
  })
  const createGroups = (batches_in_flight_max: number) =>
    createBatcher<IntakeBatch, Receipt>({
      run: async (batches) => await db.transaction().execute((tx) => takeIn(tx, newId, batches)),
      items_max: GROUP_BATCHES_MAX,
      size_max: GROUP_BYTES_MAX,
      sizeOf: ({ payload }) => payload.length,
      batches_in_flight_max,
      second_batch_min: SECOND_GROUP_MIN,
      may_be_one_item: isStatementFault,
    })
  const groups = createGroups(GROUPS_IN_FLIGHT_MAX)
  const largeGroups = createGroups(1)
  return {
    submit: async (batch) => {
      const isLarge = batch.payload.length > LARGE_BYTES
      const receipt = await (isLarge ? largeGroups : groups).submit(batch)
      if (!receipt.is_repeat) gauge.add(batch.org_id, batch.payload.length)
      return receipt
    },
    fullFor: gauge.fullFor,
    nextTurn: createTurns(),
    grouping: options.grouping ?? createGroupingBudget(),
    drain: async () => void (await Promise.all([groups.drain(), largeGroups.drain()])),
  }
}

async function takeIn(tx: Db, newId: NewId, batches: readonly IntakeBatch[]): Promise<Receipt[]> {
  const names = batches.map(nameOf)
  // The first of equal bodies in a group counts.
  const bodies = batches.filter((batch, index) => names.indexOf(nameOf(batch)) === index)
  const fresh = await takeBodies(tx, bodies.map(receiptOf))
  const taken: TakenBatch[] = fresh.flatMap(({ place, quantity }) => {
    const batch = bodies[place]
    return batch ? [{ batch, month_quantity: quantity }] : []
  })
  const isTaken = new Set(taken.map(({ batch }) => batch))
  const repeated = bodies.filter((batch) => !isTaken.has(batch))
  const answered = await storedReceipts(tx, repeated)
  if (taken.length > 0) {
    const rows = taken.flatMap(({ batch }) => batch.rows)
    await writeGroup(tx, { ...packBatches(taken, newId), rows })
  }
  return batches.map((batch, index) => {
    const isFirst = names.indexOf(nameOf(batch)) === index
    // A repeated body gets the stored response: settings may have changed in the meantime.
    const { received, processed, message, errors } = answered.get(nameOf(batch)) ?? batch
    return { received, processed, message, errors, is_repeat: !isFirst || !isTaken.has(batch) }
  })
}

async function storedReceipts(
  tx: Db,
  repeated: readonly IntakeBatch[],
): Promise<Map<string, Omit<Receipt, 'is_repeat'>>> {
  const receipts = await readReceipts(tx, repeated)
  return new Map(
    receipts.flatMap(({ place, ...receipt }) => {
      const batch = repeated[place]
      return batch ? [[nameOf(batch), receipt]] : []
    }),
  )
}

const nameOf = ({ org_id, mode, body_hash }: IntakeBatch): string =>
  `${org_id}${mode}${body_hash.toString('latin1')}`

const receiptOf = (batch: IntakeBatch): ReceivedBody => {
  const { body_hash, received, processed, message, errors, occurred_at } = batch
  const counted = { body_hash, received, processed, message, errors, received_at: occurred_at }
  return { ...monthKeyOf(batch), ...counted }
}
