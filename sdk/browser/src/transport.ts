/** One request with a batch, and what its answer means. */

export type Outcome =
  | { kind: 'sent' }
  /** The server does not want this batch, now or later. */
  | { kind: 'refused' }
  /** The key is not good for this: no batch will be wanted. */
  | { kind: 'forbidden' }
  /** Away or overloaded; `wait_ms` when the server has said how long. */
  | { kind: 'later'; wait_ms?: number }

const TIMEOUT_MS = 20_000
const WAIT_MS_MAX = 3_600_000

/** The body is text and the key in the address, so that no preflight is needed. */
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
  // Until then Chromium counts the request as under way, and a page may have 64 KiB of those.
  const text = await response.text().catch(() => '')
  if (ok) return { kind: 'sent' }
  if (status === 401 || status === 403) return { kind: 'forbidden' }
  if (status === 429 || status === 408 || status >= 500) {
    const seconds = Number(response.headers.get('retry-after')) || Number(toldIn(text))
    return seconds > 0
      ? { kind: 'later', wait_ms: Math.min(seconds * 1_000, WAIT_MS_MAX) }
      : { kind: 'later' }
  }
  return { kind: 'refused' }
}

/** Where the header is kept from the page, the body says it too. */
function toldIn(text: string): unknown {
  try {
    const { content } = JSON.parse(text) as { content?: { retry_after?: unknown } }
    return content?.retry_after
  } catch {
    return undefined
  }
}

export const BACKOFF_MS_MIN = 1_000
export const BACKOFF_MS_MAX = 60_000

/** After the n-th failure in a row: 1, 2, 4 … 60 seconds, of which up to a quarter is left to chance. */
export const backoffMs = (failures: number, random: number): number =>
  Math.max(
    BACKOFF_MS_MIN,
    Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** (failures - 1)) * (1 - random / 4),
  )
