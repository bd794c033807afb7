/**
 * The rows of a payload: lines of JSON, or binary rows. Binary rows of any table begin with the organization,
 * the mode, the id, and the times of receipt and of the event, so that they can be found without knowing their table.
 */
import { createRowReader } from '../clickhouse/row-binary.ts'

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

export type RowKey = { org_id: string; mode: string; id: string; timestamp_ms: number }

const MODES = ['', 'live', 'test']

export function keyOf(row: Buffer, isBinary: boolean): RowKey {
  if (!isBinary) return JSON.parse(row.toString()) as RowKey
  const reader = createRowReader(row)
  const org_id = reader.uuid()
  const mode = MODES[reader.byte()] ?? ''
  const id = reader.uuid()
  reader.integer()
  return { org_id, mode, id, timestamp_ms: reader.integer() }
}

/** `received_at` is near the beginning of every line, before any text of a client. */
const HEAD_BYTES = 160
const RECEIVED_ON = /"received_at":"(\d{4}-\d\d-\d\d)/
const RECEIVED_AT = 33
const DAY_CHARS = 10

/** @returns the day of receipt, which is the partition of the row */
export function dayOf(row: Buffer, isBinary: boolean): string {
  if (!isBinary) return RECEIVED_ON.exec(row.toString('latin1', 0, HEAD_BYTES))?.[1] ?? ''
  const receivedMs = createRowReader(row, RECEIVED_AT).integer()
  return new Date(receivedMs).toISOString().slice(0, DAY_CHARS)
}
