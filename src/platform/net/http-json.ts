/**
 * One HTTP exchange with an external JSON service, with an overall deadline and a size limit. It
 * follows no redirects, and returns failures instead of throwing them.
 */
import { type Dispatcher, request } from 'undici'
import { known, type Lookup, type LookupFailure, unknown } from '../lookup.ts'
import { readUpTo } from '../read-up-to.ts'
import { type Deadline, withDeadline } from './deadline.ts'

export type HttpJsonRequest = Deadline & {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Overrides the global dispatcher. */
  readonly dispatcher?: Dispatcher | undefined
  /** A longer body is a bad answer. By default one mebibyte. */
  readonly maxBytes?: number
}

export type HttpJsonAnswer = {
  readonly status: number
  /** Names are in lower case; a repeated header has its first value. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON; undefined when a redirect or an error had none. */
  readonly body: unknown
}

const DEFAULT_MAX_BYTES = 1_048_576

/**
 * A complete response is known, with any status. A 2xx whose body is not JSON is `bad_answer`; a
 * connection that failed or broke is `unreachable`.
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

/** Maps an HTTP status to a failure reason, for callers without a more specific mapping. */
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
  const bytes = await readUpTo(answer.body, options.maxBytes ?? DEFAULT_MAX_BYTES)
  if (bytes === undefined) return unknown('bad_answer')
  const body = parse(bytes.toString('utf8'))
  const successful = answer.statusCode >= 200 && answer.statusCode < 300
  if (successful && body === undefined) return unknown('bad_answer')
  return known({ status: answer.statusCode, headers: firstValues(answer.headers), body })
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
