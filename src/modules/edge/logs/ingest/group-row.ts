/** Groups the error in a row of `edge_logs` that was beyond the budget of its organization on receipt. */
import { createRowWriter } from '../../../../platform/clickhouse/row-binary.ts'
import { groupError } from '../../../error-groups/index.ts'
import { type GroupRow, withFingerprint } from '../../../intake/index.ts'
import { ERROR_LEVELS, type Level } from '../level.ts'
import { fingerprintAt, logsOf } from '../row.ts'

type Line = {
  level: Level
  message: string
  error_type?: string
  error_code?: string
  error_stack?: string
  error_fingerprint?: string
}

export const groupLogRow: GroupRow = (row, isBinary) =>
  isBinary ? groupBinary(row) : groupLine(row)

function groupBinary(row: Buffer): Buffer {
  const [log] = logsOf(row)
  if (log === undefined || log.error_fingerprint !== '' || !ERROR_LEVELS.includes(log.level)) {
    return row
  }
  const { message, error_type: type, error_code: code, error_stack: stack } = log
  const fingerprint = createRowWriter()
  fingerprint.text(groupError({ message, type, code, stack }).fingerprint)
  const at = fingerprintAt(row)
  // An empty text is one byte, its length.
  return Buffer.concat([row.subarray(0, at), fingerprint.take(), row.subarray(at + 1)])
}

/** Earlier versions wrote lines. */
function groupLine(row: Buffer): Buffer {
  const line = row.toString()
  const { level, message, error_fingerprint, ...error } = JSON.parse(line) as Line
  if (error_fingerprint !== undefined || !ERROR_LEVELS.includes(level)) return row
  const { error_type: type, error_code: code, error_stack: stack } = error
  return withFingerprint(line, groupError({ message, type, code, stack }).fingerprint)
}
