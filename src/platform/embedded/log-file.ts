/** The log of an embedded engine: its size, and its last errors, which error messages quote. */
import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs'

const TAIL_BYTES = 8192
const LINES_MAX = 3
const FAULT = /(?:FATAL|PANIC|error): +(.*)$|(Code: \d+\. DB::Exception: .*)$/

const LOG_FILE_MAX_BYTES = 10_000_000

/** Empties a log that has grown too large. */
export function limitLog(file: string): void {
  const facts = lstatSync(file, { throwIfNoEntry: false })
  if (facts?.isFile() && facts.size > LOG_FILE_MAX_BYTES) truncateSync(file)
}

/** Current size of the log. */
export const logEnd = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Returns the last errors in the log after an offset and where to read more, as sentences. */
export function faultsInLog(file: string, offset: number): string {
  const faults = tail(file, offset)
    .split('\n')
    .flatMap((line) => FAULT.exec(line)?.slice(1).find(Boolean) ?? [])
  const last = [...new Set(faults)].slice(-LINES_MAX)
  const report = last.length > 0 ? `It reported: ${last.join('; ')}. ` : ''
  return `${report}See ${file}`
}

function tail(file: string, offset: number): string {
  try {
    const handle = openSync(file, 'r')
    try {
      const start = Math.max(offset, fstatSync(handle).size - TAIL_BYTES)
      const buffer = Buffer.alloc(TAIL_BYTES)
      return buffer.toString('utf8', 0, readSync(handle, buffer, 0, TAIL_BYTES, start))
    } finally {
      closeSync(handle)
    }
  } catch {
    return ''
  }
}
