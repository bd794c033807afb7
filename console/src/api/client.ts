/** Requests to the service: unwraps the envelope and turns errors into values that can be shown. */

import { parseExact } from './exact-json.ts'

/** An unsuccessful response; `status` is 0 when there was none. */
export class ApiError extends Error {
  readonly status: number
  /** Name of the invalid field, if the error is about one. */
  readonly field: string | undefined
  readonly retry_after: number | undefined

  constructor(
    message: string,
    details: { status: number; field?: unknown; retry_after?: unknown },
  ) {
    super(message)
    this.status = details.status
    this.field = typeof details.field === 'string' ? details.field : undefined
    this.retry_after = typeof details.retry_after === 'number' ? details.retry_after : undefined
  }
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export type Call = {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  query?: Query | undefined
  body?: unknown
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
}

/** The form a type has after JSON: times become text. */
export type Answer<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Answer<Item>[]
    : T extends object
      ? { [Name in keyof T]: Answer<T[Name]> }
      : T

type Envelope = { success: boolean; message: string; content?: unknown }

const NO_ANSWER = 'The service is not responding. Check your connection and try again.'

/** The raw response, for downloads and streams. @throws ApiError unless it is a success */
export async function send(call: Call, accessToken: string | undefined): Promise<Response> {
  const { method = 'GET', path, query, body, headers, signal } = call
  const response = await fetch(path + queryText(query), {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ?? null,
    credentials: 'same-origin',
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw new ApiError(NO_ANSWER, { status: 0 })
  })
  if (response.ok) return response
  const { message, content } = await readEnvelope(response)
  throw new ApiError(message, { ...(content as object), status: response.status })
}

/** @returns `content` of the envelope */
export async function fetchContent<T>(call: Call, accessToken: string | undefined): Promise<T> {
  const response = await send(call, accessToken)
  return (await readEnvelope(response)).content as T
}

/** `?a=1&b=2` without empty values; empty when there are none. */
export function queryText(query: Query | undefined): string {
  const present = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return present.length === 0 ? '' : `?${new URLSearchParams(present).toString()}`
}

async function readEnvelope(response: Response): Promise<Envelope> {
  const unreadable = {
    success: false,
    message: `The service responded with status ${response.status}`,
  }
  return await response
    .text()
    .then(parseExact)
    .then(
      (json) => (isEnvelope(json) ? json : unreadable),
      () => unreadable,
    )
}

const isEnvelope = (json: unknown): json is Envelope =>
  typeof json === 'object' && json !== null && 'message' in json
