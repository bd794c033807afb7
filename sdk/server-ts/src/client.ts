/** The client: a function for each operation of the API. */
import { type Call, call } from './call.ts'
import { OPERATIONS, type Operations } from './generated/operations.ts'
import type { CallOptions, VigilOptions } from './options.ts'

export type Vigil = Operations

const DEFAULTS = { timeout_ms: 30_000, total_ms: 120_000, retries: 4, backoff_ms: 500 }

/** The service recognizes a repeated batch for 15 minutes. */
const TOTAL_MAX_MS = 14 * 60_000

/**
 * Connects to nothing: each call opens its connection or uses one that `fetch` has open.
 *
 * @throws TypeError for options that cannot work
 */
export function createVigil(options: VigilOptions): Vigil {
  const { base_url, api_key, access_token } = options
  if (!/^https?:\/\//.test(base_url)) {
    throw new TypeError('base_url must be a URL such as https://vigil.example.com/v1')
  }
  if (api_key === undefined && access_token === undefined) {
    throw new TypeError('api_key or access_token is required')
  }
  const defined = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  )
  const settings = {
    ...DEFAULTS,
    // Looked up with each call, so that a test or an agent can replace the global function.
    fetch: ((...args) => globalThis.fetch(...args)) as typeof fetch,
    ...defined,
    base_url: base_url.replace(/\/+$/, ''),
  }
  if (!(settings.total_ms > 0 && settings.total_ms <= TOTAL_MAX_MS)) {
    throw new TypeError(`total_ms must be at most ${TOTAL_MAX_MS}`)
  }
  const entries = Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    async (...args: unknown[]) => {
      const hasParams = operation.path.includes('{') || 'query' in operation
      const params = hasParams ? args.shift() : {}
      const body = 'has_body' in operation ? args.shift() : undefined
      const given = args.shift() as CallOptions | undefined
      return await call(settings, { name, operation, params, body, options: given ?? {} } as Call)
    },
  ])
  return Object.fromEntries(entries) as Vigil
}
