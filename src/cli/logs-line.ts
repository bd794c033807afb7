/** Prints a log entry as one line of a terminal. */
import type { LogRecord } from '../modules/edge/index.ts'

/** Time, level, device and message, then what else is set, as in the query language. */
export function logLine({ timestamp, level, device_id, message, ...rest }: LogRecord): string {
  const { category, environment, error, data, tags, trace_id } = rest
  const others = [
    ['category', category],
    ['environment', environment],
    ['error_type', error?.type],
    ['error_code', error?.code],
    ...tags.map((tag) => ['tag', tag]),
    ['trace', trace_id],
    ['data', data && JSON.stringify(data)],
  ].flatMap(([name, value]) => (value ? [`${name}:${value}`] : []))
  return [timestamp, level.padEnd(5), device_id, message, ...others].map(onOneLine).join('  ')
}

/** Devices must not move the cursor of the terminal, or add lines that look like other entries. */
export const onOneLine = (text: string): string =>
  text.replace(UNPRINTABLE, (char) => JSON_ESCAPES[char] ?? escaped(char))

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const JSON_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const escaped = (char: string): string =>
  `\\u{${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`
