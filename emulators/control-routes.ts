/** Control interfaces over HTTP as lists of routes: JSON, no authentication, for whoever can reach the port. */
import { ApiError, errorReply, invalid } from './android-management/errors.ts'
import type { WireReply, WireRequest } from './http2-wire.ts'

type Call = { ids: readonly string[]; query: URLSearchParams; body: unknown }
type Handler<Control> = (control: Control, call: Call) => unknown
export type ControlRoute<Control> = readonly [pattern: RegExp, handler: Handler<Control>]

export const CONTROL_PREFIX = '/control/'

/** @param text `GET phones/{}`; `{}` stands for one id */
export const controlRoute = <Control>(
  text: string,
  handler: Handler<Control>,
): ControlRoute<Control> => [new RegExp(`^${text.replaceAll('{}', '([^/]+)')}$`), handler]

/** Answers a request below {@link CONTROL_PREFIX}. */
export function callControl<Control>(
  routes: readonly ControlRoute<Control>[],
  control: Control,
  request: WireRequest,
): WireReply {
  const { pathname, searchParams: query } = new URL(request.path, 'http://emulator')
  const line = `${request.method} ${pathname.slice(CONTROL_PREFIX.length)}`
  try {
    for (const [pattern, handler] of routes) {
      const found = pattern.exec(line)
      if (found === null) continue
      const ids = found.slice(1).map(decodeURIComponent)
      return json(200, handler(control, { ids, query, body: readBody(request.body) }) ?? {})
    }
    throw new ApiError('NOT_FOUND', `There is no ${request.method} ${pathname}`)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, body } = errorReply(error)
    return json(status, body)
  }
}

export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
  text: JSON.stringify(body),
})

function readBody(body: Buffer): unknown {
  const text = body.toString('utf8')
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw invalid('the body is not JSON')
  }
}
