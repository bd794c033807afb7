/** Reads a request to ClickHouse's HTTP interface from its URL and headers. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { piecesOf } from '../sql-text.ts'
import { RequestFault } from './request-fault.ts'

export type Request = {
  path: string
  /** SQL in the URL; the body is appended to it. */
  query: string
  query_id: string | undefined
  database: string
  default_format: string
  settings: ReadonlyMap<string, string>
  parameters: ReadonlyMap<string, string>
  credentials: Credentials | undefined
  wants_gzip: boolean
}

export type Credentials = { username: string; password: string }

export type RawInsert = { table: string; columns: string[]; format: string }

const NOT_IMPLEMENTED = 48
/** URL parameters that are not settings; those that are not read below are ignored. */
const RESERVED: ReadonlySet<string> = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'quota_key',
  'role',
  'stacktrace',
  'buffer_size',
  'wait_end_of_query',
  'enable_http_compression',
  'client_protocol_version',
  'session_check',
  'session_timeout',
])
/** URL parameters that would change the response but are not implemented. */
const UNSUPPORTED = ['session_id', 'compress', 'decompress']
const PARAMETER_PREFIX = 'param_'

/** @throws RequestFault for an unsupported request */
export function readRequest(url: string, headers: IncomingHttpHeaders): Request {
  const { pathname, searchParams } = new URL(url, 'http://engine')
  const unsupported = UNSUPPORTED.find((name) => searchParams.has(name))
  if (unsupported !== undefined) {
    throw new RequestFault(NOT_IMPLEMENTED, `The embedded engine does not support ${unsupported}.`)
  }
  const entries = [...searchParams]
  const isParameter = ([name]: [string, string]) => name.startsWith(PARAMETER_PREFIX)
  const isSetting = (item: [string, string]) => !RESERVED.has(item[0]) && !isParameter(item)
  const format = searchParams.get('default_format') ?? header(headers, 'x-clickhouse-format')
  return {
    path: pathname,
    query: searchParams.get('query') ?? '',
    query_id: searchParams.get('query_id') ?? undefined,
    database: searchParams.get('database') ?? header(headers, 'x-clickhouse-database') ?? 'default',
    default_format: checkedName(format ?? 'TabSeparated'),
    settings: new Map(entries.filter(isSetting).map(([name, value]) => [checkedName(name), value])),
    parameters: new Map(
      entries
        .filter(isParameter)
        .map(([name, value]) => [name.slice(PARAMETER_PREFIX.length), value]),
    ),
    credentials: credentialsOf(headers, searchParams),
    wants_gzip:
      searchParams.get('enable_http_compression') === '1' &&
      /\bgzip\b/.test(header(headers, 'accept-encoding') ?? ''),
  }
}

export function isSame(actual: Credentials | undefined, expected: Credentials): boolean {
  const digest = ({ username, password }: Credentials) =>
    createHash('sha256')
      .update(JSON.stringify([username, password]))
      .digest()
  return timingSafeEqual(digest(actual ?? { username: '', password: '' }), digest(expected))
}

/** Parses `INSERT INTO table (columns) FORMAT format`, whose rows are the body. */
export function readRawInsert(sql: string): RawInsert | undefined {
  const found = RAW_INSERT.exec(sql)
  if (!found) return undefined
  const [, table = '', columns = '', format = ''] = found
  const names = columns.split(',').map((name) => name.trim().replace(/^`(\w+)`$/, '$1'))
  return { table: table.replaceAll('`', ''), columns: columns === '' ? [] : names, format }
}

const RAW_INSERT =
  /^\s*insert\s+into\s+(?:table\s+)?((?:\w+|`\w+`)(?:\.(?:\w+|`\w+`))?)\s*(?:\(([\w\s,`]+)\))?\s*format\s+(JSONEachRow|JSONCompactEachRow|TabSeparated|TSV|CSV|CSVWithNames|RowBinary)\s*;?\s*$/i

export const isInsert = (sql: string): boolean => /^\s*insert\b/i.test(sql)

/** A ClickHouse server accepts a single statement, while chDB would run all of them. */
export function refuseSeveral(sql: string): void {
  let isOver = false
  for (const { kind, text } of piecesOf(sql)) {
    if (kind === 'comment') continue
    const [before = '', ...after] = kind === 'code' ? text.split(';') : [text]
    const isMore = (isOver ? [before, ...after] : after).some((part) => part.trim() !== '')
    if (isMore) throw new RequestFault(62, 'Syntax error (Multi-statements are not allowed)')
    isOver ||= after.length > 0
  }
}

function checkedName(name: string): string {
  if (/^\w+$/.test(name)) return name
  throw new RequestFault(115, `Unknown setting '${name}'`)
}

function credentialsOf(
  headers: IncomingHttpHeaders,
  search: URLSearchParams,
): Credentials | undefined {
  const [scheme = '', encoded = ''] = (headers.authorization ?? '').split(' ')
  if (scheme.toLowerCase() === 'basic') {
    const [, username = '', password = ''] =
      /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
    return { username, password }
  }
  const username = header(headers, 'x-clickhouse-user') ?? search.get('user')
  const password = header(headers, 'x-clickhouse-key') ?? search.get('password')
  return username === null ? undefined : { username, password: password ?? '' }
}

function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
