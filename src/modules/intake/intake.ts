/**
 * The one transaction of what devices and browsers send: a receipt for each body, so that one that
 * comes again is answered the same and neither stored nor charged twice; the lines on their way to
 * the analytics engine; and what they cost, at the exact numbers of their month. Batches that wait
 * share a transaction.
 */
import { createBatcher } from '../../platform/batch.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { type Database, type Db, isStatementFault } from '../../platform/postgres/db.ts'
import type { SpoolTarget } from '../../platform/postgres/tables/edge.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { createSpoolGauge, readWaitingBytes } from '../../platform/spool/index.ts'
import type { Row } from '../../platform/states/index.ts'
import { monthKeyOf, packBatches, type TakenBatch } from './pack.ts'
import { type GivenBody, readReceipts, takeBodies, writeGroup } from './store.ts'

export type IntakeBatch = {
  org_id: string
  mode: Mode
  target: SpoolTarget
  /** Of target and body (`bodyHash`). */
  body_hash: Buffer
  /** Entries that were sent, and those of them that are good: at least one. */
  received: number
  processed: number
  message: string
  /** The good ones as lines of JSON for the target, each with its end of line. */
  payload: Buffer
  meter: string
  /** Units of the entries that are numbered (before, after] in the month. */
  price: (before: number, after: number) => number
  /** When it was received; says which month it counts in. */
  occurred_at: Date
  /** What else is written with it. */
  rows: readonly Row[]
}

export type Receipt = {
  received: number
  processed: number
  message: string
  /** The same body came before; nothing was stored or charged for this one. */
  is_repeat: boolean
}

export type Intake = {
  submit(batch: IntakeBatch): Promise<Receipt>
  /** Seconds to wait, when too much waits for the analytics engine. */
  fullFor(): number | undefined
  drain(): Promise<void>
}

export type IntakeOptions = {
  db: Database
  newId: NewId
  log: Log
  spool_max_bytes: number
}

const GROUP_BATCHES_MAX = 16
/** All of a group is in memory several times over, here and in the database. */
const GROUP_BYTES_MAX = 16_777_216
const GROUPS_IN_FLIGHT_MAX = 2
/** Fewer wait for the group under way: of one organisation, the second would wait there anyhow. */
const SECOND_GROUP_MIN = 4

export function createIntake(options: IntakeOptions): Intake {
  const { db, newId, log, spool_max_bytes } = options
  const gauge = createSpoolGauge({
    read: async () => await readWaitingBytes(db),
    max_bytes: spool_max_bytes,
    log,
  })
  const groups = createBatcher<IntakeBatch, Receipt>({
    run: async (batches) => await db.transaction().execute((tx) => takeIn(tx, newId, batches)),
    items_max: GROUP_BATCHES_MAX,
    size_max: GROUP_BYTES_MAX,
    sizeOf: ({ payload }) => payload.length,
    batches_in_flight_max: GROUPS_IN_FLIGHT_MAX,
    beside_min: SECOND_GROUP_MIN,
    may_be_one_item: isStatementFault,
  })
  return {
    submit: async (batch) => {
      const receipt = await groups.submit(batch)
      if (!receipt.is_repeat) gauge.note(batch.payload.length)
      return receipt
    },
    fullFor: gauge.fullFor,
    drain: groups.drain,
  }
}

async function takeIn(tx: Db, newId: NewId, batches: readonly IntakeBatch[]): Promise<Receipt[]> {
  const names = batches.map(nameOf)
  // Of the same bodies in one group, the first is the one.
  const bodies = batches.filter((batch, index) => names.indexOf(nameOf(batch)) === index)
  const fresh = await takeBodies(tx, bodies.map(receiptOf))
  const taken: TakenBatch[] = fresh.flatMap(({ place, quantity }) => {
    const batch = bodies[place]
    return batch ? [{ batch, month_quantity: quantity }] : []
  })
  const isTaken = new Set(taken.map(({ batch }) => batch))
  const answered = await answersTo(
    tx,
    bodies.filter((batch) => !isTaken.has(batch)),
  )
  if (taken.length > 0) {
    const rows = taken.flatMap(({ batch }) => batch.rows)
    await writeGroup(tx, { ...packBatches(taken, newId), rows })
  }
  return batches.map((batch, index) => {
    const isFirst = names.indexOf(nameOf(batch)) === index
    // The same body gives the same answer; the stored one counts, because settings may have changed.
    const { received, processed, message } = answered.get(nameOf(batch)) ?? batch
    return { received, processed, message, is_repeat: !isFirst || !isTaken.has(batch) }
  })
}

async function answersTo(
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

const receiptOf = (batch: IntakeBatch): GivenBody => {
  const { body_hash, received, processed, message, occurred_at } = batch
  const counted = { body_hash, received, processed, message, received_at: occurred_at }
  return { ...monthKeyOf(batch), ...counted }
}
