/** Sends one request and classifies its answer. It never throws. */
import type { Environment } from './environment.ts'
import type { Answer } from './requests.ts'

type Envelope = { success?: unknown; message?: unknown; content?: Record<string, unknown> }
type Target = { service_url: string; api_key: string; timeout_ms: number }

const RETRY_AFTER_DEFAULT_S = 60

export async function send(
  { fetch, delay }: Pick<Environment, 'fetch' | 'delay'>,
  { service_url, api_key, timeout_ms }: Target,
  { path, body }: { path: string; body: unknown },
): Promise<Answer> {
  // AbortSignal.timeout does not exist in React Native.
  const deadline = new AbortController()
  const stop = delay(() => deadline.abort(), timeout_ms)
  try {
    const response = await fetch(service_url.replace(/\/+$/, '') + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': api_key },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: deadline.signal,
    })
    return read(response.status, await response.text())
  } catch {
    return { kind: 'failed' }
  } finally {
    stop()
  }
}

/** Pages of proxies and of networks that want a sign-in are failures with any status. */
function read(status: number, text: string): Answer {
  const { success, message, content } = parse(text)
  if (success === true && status === 200 && content) return { kind: 'success', content }
  if (success !== false || status < 400 || status === 408 || status >= 500) {
    return { kind: 'failed' }
  }
  if (status === 429) {
    const { retry_after } = content ?? {}
    const isGiven = typeof retry_after === 'number' && retry_after >= 0
    return { kind: 'limited', retry_after_s: isGiven ? retry_after : RETRY_AFTER_DEFAULT_S }
  }
  const field = content?.['field']
  const named = typeof field === 'string' ? { field } : {}
  return { kind: 'refused', status, message: String(message), ...named }
}

function parse(text: string): Envelope {
  try {
    return (JSON.parse(text) ?? {}) as Envelope
  } catch {
    return {}
  }
}
