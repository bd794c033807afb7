/** Calls of the service: the envelope opened, errors as values that can be shown. */

/** What a call was answered with when it was not a success; `status` 0 when there was no answer. */
export class ApiError extends Error {
  readonly status: number
  /** Name of the field at fault, if it is one. */
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

/** What JSON makes of a type: times become text. */
export type Answer<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Answer<Item>[]
    : T extends object
      ? { [Name in keyof T]: Answer<T[Name]> }
      : T

type Envelope = {
  success: boolean
  message: string
  content?: unknown
}

const NO_ANSWER = 'The service does not answer. Check your connection and try again.'

/** The answer as it comes, for downloads and streams. @throws ApiError when it is not a success */
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

/** `?a=1&b=2` of what is there; nothing for nothing. */
export function queryText(query: Query | undefined): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

async function readEnvelope(response: Response): Promise<Envelope> {
  const unreadable = { success: false, message: `The service answered ${response.status}` }
  return await response.json().then(
    (json: unknown) => (isEnvelope(json) ? json : unreadable),
    () => unreadable,
  )
}

const isEnvelope = (json: unknown): json is Envelope =>
  typeof json === 'object' && json !== null && 'message' in json
