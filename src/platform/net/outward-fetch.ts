/**
 * The Fetch API for libraries that take a function for their requests, with a deadline and a size limit. It follows no
 * redirects and reads the whole body before it resolves.
 */
import { type Dispatcher, request } from 'undici'
import { readUpTo } from '../read-up-to.ts'

export type FetchOptions = {
  method: string
  headers: Record<string, string>
  body?: unknown
  signal?: AbortSignal
}

export type OutwardFetch = (url: string, options: FetchOptions) => Promise<Response>

type Limits = { timeout_ms: number; bytes_max: number; dispatcher?: Dispatcher | undefined }

/** @throws Error, also when the time is over or the response is too long */
export function createOutwardFetch({ timeout_ms, bytes_max, dispatcher }: Limits): OutwardFetch {
  return async (url, { method, headers, body, signal }) => {
    const deadline = AbortSignal.timeout(timeout_ms)
    const answer = await request(url, {
      method,
      headers,
      body: bodyOf(body),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      ...(dispatcher && { dispatcher }),
    })
    const bytes = await readUpTo(answer.body, bytes_max)
    if (bytes === undefined) throw new Error(`The response of ${url} is too long`)
    const received = new Headers()
    for (const [name, value] of Object.entries(answer.headers)) {
      for (const each of [value ?? []].flat()) received.append(name, each)
    }
    const status = answer.statusCode
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      status,
      headers: received,
    })
  }
}

function bodyOf(body: unknown): string | null {
  if (body === undefined || body === null) return null
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body)
  throw new TypeError('Only text and forms can be sent')
}
