/**
 * Packs a group of batches into few spool rows, each with its row of usage. Pure except for the new
 * ids.
 */
import type { NewId } from '../../platform/ids.ts'
import {
  type RowShape,
  rowEnd,
  type SpoolRow,
  ungroupedTarget,
} from '../../platform/spool/index.ts'
import type { MonthKey, UsageRow } from '../billing/index.ts'
import { type IntakeBatch, monthKeyOf } from './batch.ts'

/** A batch that counts, and the quantity of its month after all batches of the group. */
export type TakenBatch = { batch: IntakeBatch; month_quantity: number }

export type Packed = {
  spool: SpoolRow[]
  usage: UsageRow[]
  costs: (MonthKey & { cost_units: number })[]
}

/** Batches are joined up to this size; larger rows would delay the flush of the others. */
const JOINED_BYTES_MAX = 4_194_304
/** A larger batch becomes several rows: a row that exceeds a block of the engine is never accepted. */
const ROW_BYTES_MAX = 16_777_216
/** Organizations take turns in having a row grouped. */
const UNGROUPED_BYTES_MAX = 524_288

type Used = Pick<UsageRow, 'key_id' | 'quantity' | 'cost_units'>
/** `used` has the usage of each API key. */
type Parcel = { batches: IntakeBatch[]; bytes: number; used: Used[]; key: MonthKey }

export function packBatches(taken: readonly TakenBatch[], newId: NewId): Packed {
  const parcels = [...byMonth(taken).values()].flatMap(parcelsOf)
  const packed: Packed = { spool: [], usage: [], costs: [] }
  const costs = new Map<string, MonthKey & { cost_units: number }>()
  for (const { batches, used, key } of parcels) {
    const [first] = batches
    if (first === undefined) continue
    const { org_id, mode, meter, occurred_at, shape, is_ungrouped = false } = first
    const target = is_ungrouped ? ungroupedTarget(first.target) : first.target
    const rowMax = is_ungrouped ? UNGROUPED_BYTES_MAX : ROW_BYTES_MAX
    const entries = batches.reduce((sum, { processed }) => sum + processed, 0)
    const id = newId(occurred_at)
    const whole = { payload: joined(batches), shape, entries }
    for (const [index, piece] of piecesOf(whole, rowMax).entries()) {
      const rowId = index === 0 ? id : newId(occurred_at)
      packed.spool.push({ org_id, id: rowId, mode, target, ...piece })
    }
    const name = nameOf(key)
    let sum = costs.get(name)?.cost_units ?? 0
    for (const one of used) {
      const usage = { org_id, id: newId(occurred_at), mode, meter, occurred_at, ...one }
      packed.usage.push({ ...usage, source_id: id })
      sum += one.cost_units
    }
    costs.set(name, { ...key, cost_units: sum })
  }
  packed.costs.push(...costs.values())
  return packed
}

const nameOf = ({ org_id, mode, meter, month }: MonthKey): string =>
  [org_id, mode, meter, month].join(' ')

function byMonth(taken: readonly TakenBatch[]): Map<string, TakenBatch[]> {
  const months = new Map<string, TakenBatch[]>()
  for (const one of taken) {
    const name = nameOf(monthKeyOf(one.batch))
    const others = months.get(name)
    if (others) others.push(one)
    else months.set(name, [one])
  }
  return months
}

/** Prices each batch by its own range of numbers in the month, then joins neighbors. */
function parcelsOf(taken: readonly TakenBatch[]): Parcel[] {
  const sum = taken.reduce((total, { batch }) => total + batch.processed, 0)
  let before = (taken[0]?.month_quantity ?? sum) - sum
  const parcels: Parcel[] = []
  for (const { batch } of taken) {
    const after = before + batch.processed
    const cost_units = batch.mode === 'test' ? 0 : batch.price(before, after)
    before = after
    const used = { key_id: batch.key_id, quantity: batch.processed, cost_units }
    const bytes = batch.payload.length
    const last = parcels.at(-1)
    if (last && waitsLike(last.batches[0], batch) && last.bytes + bytes <= JOINED_BYTES_MAX) {
      last.batches.push(batch)
      last.bytes += bytes
      addUsed(last.used, used)
    } else parcels.push({ batches: [batch], bytes, used: [used], key: monthKeyOf(batch) })
  }
  return parcels
}

function addUsed(all: Used[], used: Used): void {
  const same = all.find(({ key_id }) => key_id === used.key_id)
  if (same === undefined) {
    all.push(used)
    return
  }
  same.quantity += used.quantity
  same.cost_units += used.cost_units
}

/** Batches that have to be grouped do not hold up others. */
const waitsLike = (a: IntakeBatch | undefined, b: IntakeBatch): boolean =>
  a?.target === b.target && a.is_ungrouped === b.is_ungrouped

function joined(batches: readonly IntakeBatch[]): Buffer {
  const payloads = batches.map(({ payload }) => payload)
  return payloads.length === 1 && payloads[0] ? payloads[0] : Buffer.concat(payloads)
}

type Piece = { payload: Buffer; entries: number; shape: RowShape | undefined }

/** Cuts at the ends of entries. A single entry above the limit becomes a row on its own. */
function piecesOf(whole: Piece, bytesMax: number): Piece[] {
  const { payload, shape } = whole
  if (payload.length <= bytesMax) return [whole]
  const pieces: Piece[] = []
  let start = 0
  let end = 0
  let entries = 0
  const cut = () => {
    pieces.push({ payload: payload.subarray(start, end), entries, shape })
    start = end
    entries = 0
  }
  while (end < payload.length) {
    const next = rowEnd({ rows: payload, shape }, end)
    if (entries > 0 && next - start > bytesMax) cut()
    end = next
    entries += 1
  }
  cut()
  return pieces
}
