/** Carries out one call: builds the request, sends it, and repeats it where that is safe. */
import { type Answer, attempt } from './attempt.ts'
import { VigilError } from './errors.ts'
import { type Key, withKey } from './keys.ts'
import type { AccessToken, PushOptions } from './options.ts'
import { mayHaveSucceeded, pauseBefore, type RetryLimits } from './retry.ts'

type Operation = {
  method: string
  path: string
  credential: 'api_key' | 'portal'
  repeat: 'always' | 'never' | 'keyed'
  key?: Key
  query?: readonly string[]
  has_idempotency_key?: boolean
  is_file?: boolean
}

type Settings = RetryLimits & {
  base_url: string
  api_key?: string
  access_token?: AccessToken
  timeout_ms: number
  total_ms: number
  fetch: typeof fetch
}

export type Call = {
  name: string
  operation: Operation
  params: Readonly<Record<string, unknown>>
  body: unknown
  options: PushOptions
}

/** @throws VigilError, and the reason of the caller's signal */
export async function call(
  settings: Settings,
  { name, operation, params, body, options }: Call,
): Promise<unknown> {
  const started = performance.now()
  const { signal } = options
  const keyed = withKey(operation, body, () => crypto.randomUUID())
  const url = urlOf(settings.base_url, operation, params)
  // Written once, because the service recognizes a repeated batch by its bytes.
  const text = keyed.body === undefined ? undefined : JSON.stringify(keyed.body)
  const fixed = {
    accept: operation.is_file === true ? 'text/csv' : 'application/json',
    ...(text !== undefined && { 'content-type': 'application/json' }),
    ...(operation.has_idempotency_key === true && {
      'idempotency-key': options.idempotency_key ?? crypto.randomUUID(),
    }),
  }
  for (let attempts = 1; ; attempts += 1) {
    signal?.throwIfAborted()
    const left = settings.total_ms - (performance.now() - started)
    const answer = await attempt(settings.fetch, {
      url,
      method: operation.method,
      headers: { ...fixed, ...(await credentialOf(settings, name, operation)) },
      body: text,
      timeout_ms: Math.max(1, Math.min(options.timeout_ms ?? settings.timeout_ms, left)),
      signal,
      is_file: operation.is_file === true,
    })
    if (answer.kind === 'success') return answer.content
    signal?.throwIfAborted()
    const pause = pauseBefore(answer, {
      ...settings,
      repetition: attempts,
      is_repeatable: keyed.is_repeatable,
      left_ms: settings.total_ms - (performance.now() - started),
      random: Math.random(),
    })
    if (pause === undefined) throw errorOf(answer, name, attempts)
    await sleep(pause, signal)
  }
}

function urlOf(base: string, { path, query = [] }: Operation, params: Call['params']): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (typeof value !== 'string' || value === '') {
      throw new TypeError(`${name} must be a text that is not empty`)
    }
    // `.` and `..` would change the path.
    if (/^\.{1,2}$/.test(value)) throw new TypeError(`${name} must not be ${value}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const name of query) {
    const value = params[name] as string | number | undefined
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size === 0 ? base + filled : `${base}${filled}?${search}`
}

async function credentialOf(
  { api_key, access_token }: Settings,
  name: string,
  { credential }: Operation,
): Promise<Record<string, string>> {
  if (credential === 'api_key') {
    if (api_key !== undefined) return { 'x-api-key': api_key }
    throw new TypeError(`${name} needs the option api_key`)
  }
  if (access_token === undefined) throw new TypeError(`${name} needs the option access_token`)
  const token = typeof access_token === 'string' ? access_token : await access_token()
  return { authorization: `Bearer ${token}` }
}

function errorOf(
  answer: Exclude<Answer, { kind: 'success' }>,
  operation: string,
  attempts: number,
): VigilError {
  const common = { operation, attempts, may_have_succeeded: mayHaveSucceeded(answer) }
  if (answer.kind === 'refusal') {
    const { status, envelope } = answer
    const content = envelope.content as Record<string, unknown> | undefined
    return new VigilError(envelope.message, { ...common, status, code: envelope.code, content })
  }
  if (answer.kind === 'foreign') {
    const { status } = answer
    const message = `The answer with status ${status} is not from Vigil. Check base_url and proxies`
    return new VigilError(message, { ...common, status })
  }
  const { cause } = answer
  const reason = cause instanceof Error ? causeText(cause) : String(cause)
  return new VigilError(`${operation} had no answer: ${reason}`, { ...common, cause })
}

/** `fetch` says "fetch failed" and names the reason in the cause. */
const causeText = (error: Error): string =>
  error.cause instanceof Error ? error.cause.message || error.message : error.message

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
