/** Sends requests to the service, each with a timeout, and interprets the answers. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export type Outcome =
  | { kind: 'accepted'; received: number; processed: number }
  /** The body is invalid, so that a retry cannot succeed. */
  | { kind: 'rejected'; reason: string }
  /** The key, the URL or the configuration is wrong, which the operator has to fix. */
  | { kind: 'blocked'; reason: string; status: number }
  | { kind: 'later'; reason: string; wait_ms?: number }

export type Api = {
  sendLogs: (body: string) => Promise<Outcome>
  register: (device: object) => Promise<Outcome>
  heartbeat: () => Promise<Outcome>
  /** Aborts the current requests. */
  abort: () => void
}

export type ApiOptions = {
  base_url: string
  api_key: string
  device_id: string
  fetch: typeof fetch
}

const TIMEOUT_MS = 30_000
const WAIT_MS_MAX = 3_600_000
const BODY_FAULTS = [400, 413, 422]

type Content = { headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> | string }
const JSON_TYPE = { 'Content-Type': 'application/json' }

export function createApi({ base_url, api_key, device_id, fetch: send }: ApiOptions): Api {
  const base = base_url.replace(/\/+$/, '')
  const ending = new AbortController()
  const post = async (path: string, content: Content = {}): Promise<Outcome> => {
    try {
      const response = await send(`${base}${path}`, {
        method: 'POST',
        ...content,
        headers: { 'X-API-Key': api_key, ...content.headers },
        // A captive portal redirects requests to its login page.
        redirect: 'error',
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      return await outcomeOf(response)
    } catch (error) {
      return { kind: 'later', reason: reasonOf(error) }
    }
  }
  return {
    sendLogs: async (body) =>
      post('/edge/logs', {
        headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' },
        body: await promisify(gzip)(body),
      }),
    register: (device) =>
      post('/edge/devices/register', {
        headers: JSON_TYPE,
        body: JSON.stringify({ ...device, device_id }),
      }),
    heartbeat: () => post(`/edge/devices/${encodeURIComponent(device_id)}/heartbeat`),
    abort: () => ending.abort(),
  }
}

type Answer = {
  success?: unknown
  message?: unknown
  content?: { received?: unknown; processed?: unknown; retry_after?: unknown } | null
}

async function outcomeOf(response: Response): Promise<Outcome> {
  const { status, ok } = response
  const answer = parse(await response.text())
  const reason = `${status}${typeof answer?.message === 'string' ? ` ${answer.message}` : ''}`
  if (ok) {
    // A captive portal can answer every request with 200.
    if (answer?.success !== true) return { kind: 'later', reason: 'the answer is not from Vigil' }
    const received = Number(answer.content?.received ?? 0)
    return { kind: 'accepted', received, processed: Number(answer.content?.processed ?? received) }
  }
  if (BODY_FAULTS.includes(status)) return { kind: 'rejected', reason }
  if (status === 429 || status === 408 || status >= 500) {
    const seconds =
      Number(response.headers.get('retry-after')) || Number(answer?.content?.retry_after)
    const wait_ms = Math.min(seconds * 1_000, WAIT_MS_MAX)
    return { kind: 'later', reason, ...(seconds > 0 ? { wait_ms } : {}) }
  }
  return { kind: 'blocked', reason, status }
}

function parse(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Includes the cause, because the message of a failed fetch does not explain it. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
