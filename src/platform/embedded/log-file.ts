/** Reads what an embedded engine complained about last, to show it where it is needed. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

const TAIL_BYTES = 8192
const LINES_MAX = 3
const FAULT = /(?:FATAL|PANIC|error): +(.*)$|(Code: \d+\. DB::Exception: .*)$/

/** Where the log ends now. */
export const logEnd = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** One sentence: the last faults in the log from an offset on, and where to read more. */
export function faultsInLog(file: string, offset: number): string {
  const faults = tail(file, offset)
    .split('\n')
    .flatMap((line) => FAULT.exec(line)?.slice(1).find(Boolean) ?? [])
  const last = [...new Set(faults)].slice(-LINES_MAX)
  const said = last.length > 0 ? `It says: ${last.join('; ')}. ` : ''
  return `${said}See ${file}`
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
