/**
 * The rows of a payload: lines of JSON, or binary rows. Binary rows of any table begin with the organization,
 * the mode, the id, and the times of receipt and of the event, so that they can be found without knowing their table.
 */
import {
  createRowReader,
  type RowReader,
  type RowWriter,
  uuidBytes,
} from '../clickhouse/row-binary.ts'
import type { Mode } from '../owner.ts'

/** How the rows of a table are written: values of a fixed size, then texts, then lists of texts. */
export type RowLayout = {
  columns: readonly string[]
  fixed_bytes: number
  texts: number
  lists: number
}

/** The part of it that a payload contains. */
export type RowShape = Pick<RowLayout, 'fixed_bytes' | 'texts' | 'lists'>

export type Payload = {
  rows: Buffer
  /** Undefined for lines of JSON, each ending with a line feed. */
  shape: RowShape | undefined
}

/** @returns the position after the row that begins at `start` */
export function rowEnd({ rows, shape }: Payload, start: number): number {
  if (shape === undefined) return rows.indexOf('\n', start) + 1 || rows.length
  const reader = createRowReader(rows, start)
  reader.skip(shape.fixed_bytes)
  for (let texts = shape.texts; texts > 0; texts -= 1) reader.skipText()
  for (let lists = shape.lists; lists > 0; lists -= 1) reader.skipTexts()
  return reader.position()
}

export function* rowsOf(payload: Payload): Generator<Buffer> {
  for (let start = 0; start < payload.rows.length; ) {
    const end = rowEnd(payload, start)
    yield payload.rows.subarray(start, end)
    start = end
  }
}

export type BatchHead = {
  org_id: string
  mode: Mode
  /** The index of the entry replaces the last four digits of this UUID. */
  id: string
  received_at: Date
}

/** The index is the value of `Enum8`. */
const MODES: readonly string[] = ['', 'live', 'test']
const HEAD_BYTES = 41
const MODE_AT = 16
const ID_AT = 17
/** The last four digits of an id; the bytes of the second half are in reverse order. */
const INDEX_AT = 25
const RECEIVED_AT = 33

/** @returns a function that writes the beginning of a binary row of the batch, with the index of its entry */
export function createRowHead(batch: BatchHead, rows: RowWriter): (index: number) => void {
  const head = Buffer.alloc(HEAD_BYTES)
  head.set(uuidBytes(batch.org_id))
  head[MODE_AT] = MODES.indexOf(batch.mode)
  head.set(uuidBytes(batch.id), ID_AT)
  head.writeBigInt64LE(BigInt(batch.received_at.getTime()), RECEIVED_AT)
  return (index) => {
    head[INDEX_AT] = index & 0xff
    head[INDEX_AT + 1] = index >>> 8
    rows.fixed(head)
  }
}

/** Reads what `createRowHead` wrote. */
export const readHead = (reader: RowReader) => ({
  org_id: reader.uuid(),
  mode: MODES[reader.byte()] ?? '',
  id: reader.uuid(),
  received_at_ms: reader.integer(),
})

export type RowKey = { org_id: string; mode: string; id: string; timestamp_ms: number }

export function keyOf(row: Buffer, isBinary: boolean): RowKey {
  if (!isBinary) return JSON.parse(row.toString()) as RowKey
  const reader = createRowReader(row)
  const { org_id, mode, id } = readHead(reader)
  return { org_id, mode, id, timestamp_ms: reader.integer() }
}

/** `received_at` is near the beginning of every line, before any text of a client. */
const LINE_HEAD_BYTES = 160
const RECEIVED_ON = /"received_at":"(\d{4}-\d\d-\d\d)/
const DAY_CHARS = 10

/** @returns the day of receipt, which is the partition of the row */
export function dayOf(row: Buffer, isBinary: boolean): string {
  if (!isBinary) return RECEIVED_ON.exec(row.toString('latin1', 0, LINE_HEAD_BYTES))?.[1] ?? ''
  const { received_at_ms } = readHead(createRowReader(row))
  return new Date(received_at_ms).toISOString().slice(0, DAY_CHARS)
}
