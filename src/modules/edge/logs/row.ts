/** A log as the binary row of `edge_logs` that waits in the spool and that the engine inserts. */
import {
  createRowReader,
  type RowWriter,
  uuidBytes,
} from '../../../platform/clickhouse/row-binary.ts'
import type { RowLayout } from '../../../platform/spool/index.ts'
import { LEVELS, type Level } from './level.ts'
import type { StoredLog } from './reading/record.ts'

/** In the order of `createRowHead` and `writeLog`. */
export const LOG_ROWS: RowLayout = {
  columns: [
    'org_id',
    'mode',
    'id',
    'received_at',
    'timestamp_ms',
    'level',
    'device_id',
    'message',
    'words',
    'category',
    'environment',
    'trace_id',
    'span_id',
    'error_type',
    'error_code',
    'error_stack',
    'error_fingerprint',
    'data',
    'tags',
  ],
  fixed_bytes: 50,
  texts: 12,
  lists: 1,
}

/** Values of `Enum8`. */
const MODES = { live: 1, test: 2 }
const FIRST_LEVEL = 1
const HEAD_BYTES = 41
const MODE_AT = 16
const ID_AT = 17
/** The last four digits of an id; the bytes of the second half are in reverse order. */
const INDEX_AT = 25
const RECEIVED_AT = 33

export type BatchHead = {
  org_id: string
  mode: 'live' | 'test'
  /** The index of the entry replaces the last four digits of this UUID. */
  id: string
  received_at: Date
}

/** @returns a function that writes the beginning of a row of the batch, with the index of its entry */
export function createRowHead(batch: BatchHead, rows: RowWriter): (index: number) => void {
  const head = Buffer.alloc(HEAD_BYTES)
  head.set(uuidBytes(batch.org_id))
  head[MODE_AT] = MODES[batch.mode]
  head.set(uuidBytes(batch.id), ID_AT)
  head.writeBigInt64LE(BigInt(batch.received_at.getTime()), RECEIVED_AT)
  return (index) => {
    head[INDEX_AT] = index & 0xff
    head[INDEX_AT + 1] = index >>> 8
    rows.fixed(head)
  }
}

const TEXTS_BEFORE_FINGERPRINT = 10

export function fingerprintAt(row: Buffer): number {
  const reader = createRowReader(row)
  reader.skip(LOG_ROWS.fixed_bytes)
  for (let texts = TEXTS_BEFORE_FINGERPRINT; texts > 0; texts -= 1) reader.skipText()
  return reader.position()
}

export const levelByte = (level: Level): number => LEVELS.indexOf(level) + FIRST_LEVEL

/** @returns the logs, in the order of the rows */
export function logsOf(rows: Buffer): StoredLog[] {
  const reader = createRowReader(rows)
  const logs: StoredLog[] = []
  while (!reader.isAtEnd()) {
    reader.skip(ID_AT)
    const head = { id: reader.uuid(), received_at_ms: reader.integer() }
    const timestamp_ms = reader.integer()
    const level = LEVELS[reader.byte() - FIRST_LEVEL] as Level
    const [device_id, message] = [reader.text(), reader.text()]
    reader.skipText()
    logs.push({
      ...head,
      timestamp_ms,
      level,
      device_id,
      message,
      category: reader.text(),
      environment: reader.text(),
      trace_id: reader.text(),
      span_id: reader.text(),
      error_type: reader.text(),
      error_code: reader.text(),
      error_stack: reader.text(),
      error_fingerprint: reader.text(),
      data: reader.text(),
      tags: reader.texts(),
    })
  }
  return logs
}
