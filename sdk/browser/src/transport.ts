/** Sends a batch in one request and interprets the answer. */

export type Outcome =
  | { kind: 'sent' }
  /** The server rejects this batch permanently. */
  | { kind: 'refused' }
  /** The server rejects the key, and therefore every batch. */
  | { kind: 'forbidden' }
  /** The server is unavailable or overloaded; `wait_ms` is the time that it requests. */
  | { kind: 'later'; wait_ms?: number }

const TIMEOUT_MS = 20_000
const WAIT_MS_MAX = 3_600_000

/** The body is plain text and the key is in the URL, which avoids a CORS preflight request. */
export async function post(send: typeof fetch, url: string, body: string): Promise<Outcome> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS)
  try {
    const response = await send(url, {
      method: 'POST',
      body,
      keepalive: true,
      credentials: 'omit',
      referrerPolicy: 'strict-origin-when-cross-origin',
      signal: abort.signal,
    })
    return await outcomeOf(response)
  } catch {
    return { kind: 'later' }
  } finally {
    clearTimeout(timer)
  }
}

async function outcomeOf(response: Response): Promise<Outcome> {
  const { status, ok } = response
  // Chromium counts a request as in flight until its answer is read, and limits those to 64 KiB.
  const text = await response.text().catch(() => '')
  if (ok) return { kind: 'sent' }
  if (status === 401 || status === 403) return { kind: 'forbidden' }
  if (status === 429 || status === 408 || status >= 500) {
    const seconds = Number(response.headers.get('retry-after')) || Number(retryAfterIn(text))
    const wait_ms = Math.min(seconds * 1_000, WAIT_MS_MAX)
    return { kind: 'later', ...(seconds > 0 ? { wait_ms } : {}) }
  }
  return { kind: 'refused' }
}

/** Reads the body, which repeats the Retry-After header for pages that cannot access the header. */
function retryAfterIn(text: string): unknown {
  try {
    const { content } = JSON.parse(text) as { content?: { retry_after?: unknown } }
    return content?.retry_after
  } catch {
    return undefined
  }
}

export const BACKOFF_MS_MIN = 1_000
export const BACKOFF_MS_MAX = 60_000

/** Returns the delay after consecutive failures: 1, 2, 4 … 60 seconds, less up to a quarter at random. */
export const backoffMs = (failures: number, random: number): number =>
  Math.max(
    BACKOFF_MS_MIN,
    Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** (failures - 1)) * (1 - random / 4),
  )
