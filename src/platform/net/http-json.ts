/**
 * One HTTP exchange with a JSON service outside: an overall deadline, a cap on the body, no
 * redirects of its own accord, and an outcome instead of an exception.
 */
import { type Dispatcher, request } from 'undici'
import { known, type Lookup, type LookupFailure, unknown } from '../lookup.ts'
import { type Deadline, withDeadline } from './deadline.ts'

export type HttpJsonRequest = Deadline & {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Which connections it may use; the usual ones when left out. */
  readonly dispatcher?: Dispatcher | undefined
  /** A longer body is a bad answer. Default one mebibyte. */
  readonly maxBytes?: number
}

export type HttpJsonAnswer = {
  readonly status: number
  /** Lower-case names; of a repeated header the first value. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed; undefined when a redirect or an error carried no JSON. */
  readonly body: unknown
}

const DEFAULT_MAX_BYTES = 1_048_576

/**
 * Known as soon as there is a whole answer, whatever its status; a 2xx whose body is not JSON is a
 * bad answer. No connection, or one that broke, is `unreachable`.
 */
export function requestJson(options: HttpJsonRequest): Promise<Lookup<HttpJsonAnswer>> {
  return withDeadline(options, async (signal) => {
    try {
      return await exchange(options, signal)
    } catch {
      return unknown(signal.aborted ? 'timeout' : 'unreachable')
    }
  })
}

/** The class of failure that an HTTP status stands for, where the caller has no better reading. */
export function failureOfStatus(status: number): LookupFailure {
  if (status === 429) return 'rate_limited'
  if (status === 401 || status === 403) return 'refused'
  if (status >= 500) return 'server_error'
  return 'bad_answer'
}

async function exchange(
  options: HttpJsonRequest,
  signal: AbortSignal,
): Promise<Lookup<HttpJsonAnswer>> {
  const answer = await request(options.url, {
    method: options.method ?? 'GET',
    headers: { accept: 'application/json', ...options.headers },
    body: options.body ?? null,
    signal,
    ...(options.dispatcher !== undefined && { dispatcher: options.dispatcher }),
  })
  const text = await readText(answer.body, options.maxBytes ?? DEFAULT_MAX_BYTES)
  if (text === undefined) return unknown('bad_answer')
  const body = parse(text)
  const successful = answer.statusCode >= 200 && answer.statusCode < 300
  if (successful && body === undefined) return unknown('bad_answer')
  return known({ status: answer.statusCode, headers: firstValues(answer.headers), body })
}

/** Undefined when there is more than the limit; the rest is not read. */
async function readText(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function firstValues(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined) values[name.toLowerCase()] = first
  }
  return values
}
