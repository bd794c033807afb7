/** Calls of the API of a running service, as a user of the organization. */
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '../../platform/clock.ts'
import {
  type HttpJsonAnswer,
  type HttpJsonRequest,
  requestJson,
} from '../../platform/net/http-json.ts'
import { retryAfterSeconds } from '../../platform/net/retry-after.ts'
import { CommandError } from '../io.ts'

type Method = NonNullable<HttpJsonRequest['method']>

export type Api = {
  /** @returns `content` of the response @throws CommandError with the message of a refused request */
  get<T>(path: string, query?: Record<string, string>): Promise<T>
  send<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object): Promise<T>
  /** A request that is about no organization. */
  post<T>(path: string, body: object): Promise<T>
  remove(path: string, query?: Record<string, string>): Promise<void>
}

export type ApiOptions = {
  url: string
  /** Undefined for requests that are about no organization. */
  org_id?: string
  /** Undefined for requests that need no token. */
  token?: string
  deadline_ms?: number
}

type Envelope = { success?: boolean; message?: string; content?: unknown }

const DEADLINE_MS = 60_000
/** The configuration of an organization, with its policies. */
const ANSWER_MAX_BYTES = 64_000_000
/** Operations of device management take `org_id` from the query (specification, "MDM"). */
const OWNER_IN_QUERY = '/v1/mdm/'
const RETRIES_MAX = 5
const RETRY_AFTER_MAX_SECONDS = 60
const RETRY_AFTER_DEFAULT_SECONDS = 1
/** The request was not carried out, because the service is busy. */
const TOO_MANY_REQUESTS = 429

export function createApi({ url, org_id, token, deadline_ms = DEADLINE_MS }: ApiOptions): Api {
  const exchange = async (method: Method, target: URL, body?: object): Promise<HttpJsonAnswer> => {
    const answer = await requestJson({
      url: target.href,
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      timeoutMs: deadline_ms,
      maxBytes: ANSWER_MAX_BYTES,
    })
    if (answer.known) return answer.value
    throw new CommandError(`${target.origin} cannot be used: ${answer.reason}`)
  }
  const call = async (
    method: Method,
    path: string,
    query: { [name: string]: string },
    body?: object,
  ): Promise<unknown> => {
    const target = new URL(path, url)
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
    for (let attempt = 0; ; attempt += 1) {
      const answer = await exchange(method, target, body)
      if (answer.status !== TOO_MANY_REQUESTS || attempt === RETRIES_MAX) {
        return contentOf(`${method} ${path}`, answer)
      }
      await setTimeout(1000 * secondsToWait(answer.headers['retry-after']))
    }
  }
  const owner = org_id === undefined ? {} : { org_id }
  return {
    get: async <T>(path: string, query = {}) =>
      (await call('GET', path, { ...owner, ...query })) as T,
    send: async <T>(method: Method, path: string, body: object) =>
      (path.startsWith(OWNER_IN_QUERY)
        ? await call(method, path, owner, body)
        : await call(method, path, {}, { ...owner, ...body })) as T,
    post: async <T>(path: string, body: object) => (await call('POST', path, {}, body)) as T,
    remove: async (path, query = {}) => void (await call('DELETE', path, { ...owner, ...query })),
  }
}

const secondsToWait = (retryAfter: string | undefined): number =>
  Math.min(
    retryAfterSeconds(retryAfter ?? null, systemClock.now()) ?? RETRY_AFTER_DEFAULT_SECONDS,
    RETRY_AFTER_MAX_SECONDS,
  )

function contentOf(call: string, { status, body }: HttpJsonAnswer): unknown {
  const envelope = (body ?? {}) as Envelope
  if (status === 200 && envelope.success === true) return envelope.content
  if (status === 401) {
    throw new CommandError('The token was refused: it has expired, or its session has ended')
  }
  throw new CommandError(`${call} was answered ${status}: ${envelope.message ?? 'no message'}`)
}
