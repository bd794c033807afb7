/**
 * Reads a syslog message (RFC 5424) as a log entry. Other text, such as the older format of RFC 3164, is the
 * message of an entry, with the level of its priority if it has one.
 */
import type { LogFields, LogLevel } from '../types.ts'

export type SyslogEntry = {
  level: LogLevel
  message: string
  /** Undefined if the message does not have it. */
  device_id: string | undefined
  timestamp_ms: number | undefined
  fields: LogFields
}

/** By severity (RFC 5424, section 6.2.1): emergency, alert and critical are fatal, notice is info. */
const LEVELS: readonly LogLevel[] = [
  'fatal',
  'fatal',
  'fatal',
  'error',
  'warn',
  'info',
  'info',
  'debug',
]
const FACILITIES = (
  'kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock ' +
  'local0 local1 local2 local3 local4 local5 local6 local7'
).split(' ')
const PRIORITY = /^<(\d{1,3})>/
const PRIORITY_MAX = 191
/** `<165>1 TIMESTAMP HOSTNAME APP-NAME PROCID MSGID`; structured data and message follow. */
const HEADER =
  /^<\d{1,3}>[1-9]\d{0,2} (-|\S{1,64}) (\S{1,255}) (\S{1,128}) (\S{1,128}) (\S{1,128}) /
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
const ELEMENT_NAME = /[^\s=\]"]{1,128}/y
const PARAMETER = / ([^\s=\]"]{1,128})="((?:[^"\\\]]|\\[^])*)"/y
const BYTE_ORDER_MARK = /^\ufeff/
const NIL = '-'

export function readSyslog(text: string, defaultLevel: LogLevel): SyslogEntry {
  const priority = Number(PRIORITY.exec(text)?.[1] ?? Number.NaN)
  const isKnown = priority <= PRIORITY_MAX
  const level = (isKnown && LEVELS[priority % 8]) || defaultLevel
  const facility = isKnown ? FACILITIES[Math.floor(priority / 8)] : undefined
  const header = isKnown ? HEADER.exec(text) : null
  const read = header && readStructured(text, header[0].length)
  if (!header || !read) {
    const message = (isKnown ? text.replace(PRIORITY, '') : text).trimEnd()
    const data = facility === undefined ? {} : { data: { facility } }
    return { level, message, device_id: undefined, timestamp_ms: undefined, fields: data }
  }
  const [timestamp, device_id, app, process_id, message_id] = header
    .slice(1)
    .map((value) => (value === NIL ? undefined : value))
  const data = {
    facility,
    ...(process_id === undefined ? {} : { process_id }),
    ...(message_id === undefined ? {} : { message_id }),
    ...(read.elements === undefined ? {} : { structured: read.elements }),
  }
  return {
    level,
    message: text.slice(read.end).trimStart().replace(BYTE_ORDER_MARK, '').trimEnd(),
    device_id,
    timestamp_ms: timestamp === undefined ? undefined : timeOf(timestamp),
    fields: { data, ...(app === undefined ? {} : { category: app }) },
  }
}

type Elements = Record<string, Record<string, string | string[]>>

/** `[id name="value"][id]` or `-`. @returns undefined if it is neither */
function readStructured(
  text: string,
  start: number,
): { elements: Elements | undefined; end: number } | undefined {
  const isEnd = (at: number) => at >= text.length || text[at] === ' '
  if (text[start] === NIL)
    return isEnd(start + 1) ? { elements: undefined, end: start + 1 } : undefined
  const elements: [string, Record<string, string | string[]>][] = []
  let at = start
  while (text[at] === '[') {
    const name = matchAt(ELEMENT_NAME, text, at + 1)?.[0]
    if (name === undefined) return undefined
    at += 1 + name.length
    const values = new Map<string, string | string[]>()
    for (let found = matchAt(PARAMETER, text, at); found; found = matchAt(PARAMETER, text, at)) {
      const [whole, key = '', escaped = ''] = found
      const value = escaped.replace(/\\(["\\\]])/g, '$1')
      const earlier = values.get(key)
      // A parameter can be repeated (RFC 5424, section 6.3.3).
      values.set(key, earlier === undefined ? value : [earlier, value].flat())
      at += whole.length
    }
    if (text[at] !== ']') return undefined
    at += 1
    elements.push([name, Object.fromEntries(values)])
  }
  return elements.length > 0 && isEnd(at)
    ? { elements: Object.fromEntries(elements), end: at }
    : undefined
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}

function timeOf(text: string): number | undefined {
  const ms = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
