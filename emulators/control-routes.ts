/** Control interfaces over HTTP as lists of routes: JSON, without authentication. */
import { ApiError, invalid } from './google-errors.ts'

type Call = {
  /** The first and the second id in the path; empty when there is none. */
  readonly id: string
  readonly inner: string
  readonly query: URLSearchParams
  readonly body: unknown
}
type Handler<Control> = (control: Control, call: Call) => unknown
export type ControlRoute<Control> = readonly [pattern: RegExp, handler: Handler<Control>]

export type ControlRequest = {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly body: string
}

/** A request to the emulated API, as the control interface returns it. */
export type RequestRecord = {
  readonly at: string
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Null when no answer was sent. */
  readonly status: number | null
}

export const recordOf = (
  at: Date,
  { method, path }: Pick<ControlRequest, 'method' | 'path'>,
  { status, fault }: { status: number; fault?: string | undefined },
): RequestRecord => ({
  at: at.toISOString(),
  method,
  path,
  status: fault === undefined ? status : null,
})

const PREFIX = '/control/'

export const isControlPath = (path: string): boolean => path.startsWith(PREFIX)

/** @param pattern method and path below `/control/`, where `{}` stands for an id: `GET phones/{}` */
export const controlRoute = <Control>(
  pattern: string,
  handler: Handler<Control>,
): ControlRoute<Control> => [new RegExp(`^${pattern.replaceAll('{}', '([^/]+)')}$`), handler]

/** Returns the body of the answer. @throws ApiError when the request is not valid */
export function callControl<Control>(
  routes: readonly ControlRoute<Control>[],
  control: Control,
  { method, path, body }: ControlRequest,
): unknown {
  const { pathname, searchParams: query } = new URL(path, 'http://emulator')
  const line = `${method} ${pathname.slice(PREFIX.length)}`
  for (const [pattern, handler] of routes) {
    const match = pattern.exec(line)
    if (match === null) continue
    const [id = '', inner = ''] = match.slice(1).map(decodeURIComponent)
    return handler(control, { id, inner, query, body: parse(body) }) ?? {}
  }
  throw new ApiError('NOT_FOUND', `There is no ${method} ${pathname}`)
}

function parse(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw invalid('the body is not JSON')
  }
}
