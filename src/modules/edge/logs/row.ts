/** A log as the binary row of `edge_logs` that waits in the spool and that the engine inserts. */
import { createRowReader } from '../../../platform/clickhouse/row-binary.ts'
import { type RowLayout, readHead } from '../../../platform/spool/index.ts'
import { LEVELS, type Level } from './level.ts'
import type { StoredLog } from './reading/record.ts'

/** In the order of `createRowHead` and the reader of entries. */
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

/** Value of `Enum8`. */
const FIRST_LEVEL = 1
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
    const { id, received_at_ms } = readHead(reader)
    const timestamp_ms = reader.integer()
    const level = LEVELS[reader.byte() - FIRST_LEVEL] as Level
    const [device_id, message] = [reader.text(), reader.text()]
    reader.skipText()
    logs.push({
      id,
      received_at_ms,
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
