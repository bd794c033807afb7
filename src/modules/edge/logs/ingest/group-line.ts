/** Groups the error in a line of `edge_logs` that was beyond the budget of its organization on receipt. */
import { groupError } from '../../../error-groups/index.ts'
import { type GroupLine, withFingerprint } from '../../../intake/index.ts'
import { ERROR_LEVELS, type Level } from '../level.ts'

type Line = {
  level: Level
  message: string
  error_type?: string
  error_code?: string
  error_stack?: string
  error_fingerprint?: string
}

export const groupLogLine: GroupLine = (line) => {
  const { level, message, error_fingerprint, ...error } = JSON.parse(line) as Line
  if (error_fingerprint !== undefined || !ERROR_LEVELS.includes(level)) return line
  const { error_type: type, error_code: code, error_stack: stack } = error
  return withFingerprint(line, groupError({ message, type, code, stack }).fingerprint)
}
