/**
 * A documented request of `/v1` as a call of a client for servers, so that a test can show that each client
 * has all of them, sends what is documented, and returns what the service responds.
 */
import { OPERATIONS } from '../../sdk/server-ts/src/generated/operations.ts'
import { isObject } from '../../src/platform/is-object.ts'
import type { CurlRequest } from './examples.ts'

export type ClientCall = {
  operation: string
  /** Parameters of path and query; undefined if the operation has none. */
  params: Readonly<Record<string, string>> | undefined
  /** Undefined if the operation has none. */
  body: unknown
  idempotency_key: string | undefined
  api_key: string
  access_token: string
  /** The client fills in an `event_id`, which a later example that shows the stored check does not have. */
  drops_event_ids: boolean
}

export type Outcome = {
  sent: { method: string; url: string; body: string }
  answer: { status: number; text: string }
  /** The value that the method returned, or the error that it threw. */
  result: { returned: unknown } | { error: { status: number | undefined; message: string } }
}

/** Sends a call with a client. */
export type Client = { carryOut(call: ClientCall): Promise<Outcome>; close(): Promise<void> }

/** @throws Error if the clients have no operation for the request */
export function clientCallOf(request: CurlRequest): ClientCall {
  const url = new URL(request.url)
  const path = url.pathname.replace(/^\/v1/, '')
  const found = Object.entries(OPERATIONS).flatMap(([name, operation]) => {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => each)
    const pattern = operation.path.replaceAll(/\{\w+\}/g, '([^/]+)')
    const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1)
    if (!values || operation.method !== request.method) return []
    const inPath = names.map((each, index) => [each, decodeURIComponent(values[index] ?? '')])
    return [{ name, operation, params: Object.fromEntries(inPath) as Record<string, string> }]
  })
  // `/check/sandbox` also has the form of `/check/{id}`.
  const [match] = found.toSorted((a, b) => Number(!!a.params['id']) - Number(!!b.params['id']))
  if (!match) throw new Error(`No operation of the clients is ${request.method} ${path}`)
  const { name, operation, params } = match
  const { api_key, ...query } = Object.fromEntries(url.searchParams)
  return {
    operation: name,
    params:
      'query' in operation || operation.path.includes('{') ? { ...params, ...query } : undefined,
    body: 'has_body' in operation ? (JSON.parse(request.body ?? '{}') as unknown) : undefined,
    idempotency_key: request.headers['idempotency-key'],
    api_key: request.headers['x-api-key'] ?? api_key ?? 'none',
    access_token: request.headers['authorization']?.replace('Bearer ', '') ?? 'none',
    drops_event_ids: request.body?.includes('"event_id"') !== true,
  }
}

/** @returns the request and the result that the client must have, in the form of `observedOf` */
export function documentedOf(request: CurlRequest, { answer: { status, text } }: Outcome): unknown {
  const sent = { method: request.method, ...sentParts(request.url, request.body ?? '') }
  if (status !== 200) {
    const { message } = JSON.parse(text) as { message: string }
    return { sent, result: { error: { status, message } } }
  }
  const isFile = !text.startsWith('{')
  const returned = isFile ? text : ((JSON.parse(text) as { content?: unknown }).content ?? null)
  return { sent, result: { returned } }
}

/** @returns the request that the client has sent and the result that it has returned */
export const observedOf = ({ sent: { method, url, body }, result }: Outcome): unknown => ({
  sent: { method, ...sentParts(url, body) },
  result: 'returned' in result ? { returned: result.returned ?? null } : result,
})

/** Without `event_id` of a check and of the checks of a list. */
export function withoutEventIds(body: string): string {
  if (body === '') return body
  const { event_id: _, ...value } = JSON.parse(body) as Record<string, unknown>
  if (!Array.isArray(value['checks'])) return JSON.stringify(value)
  const checks = value['checks'].map((each: unknown) => {
    if (!isObject(each)) return each
    const { event_id: __, ...check } = each
    return check
  })
  return JSON.stringify({ ...value, checks })
}

/** The parts of a request that must not differ, in a form in which the order of the query does not matter. */
function sentParts(address: string, body: string) {
  const { pathname, searchParams } = new URL(address)
  // The clients send the API key as a header.
  searchParams.delete('api_key')
  return {
    path: decodeURIComponent(pathname),
    query: Object.fromEntries(searchParams),
    body: body === '' || body === '{}' ? undefined : (JSON.parse(body) as unknown),
  }
}
