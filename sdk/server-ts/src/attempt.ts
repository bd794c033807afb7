/** Sends one request and says what came back. It never throws. */

export type Envelope = {
  success: boolean
  message: string
  code?: string
  content?: unknown
}

export type Answer =
  | { kind: 'success'; content: unknown }
  | { kind: 'refusal'; status: number; envelope: Envelope; retry_after_s: number | undefined }
  /** An answer that is not from Vigil, such as the page of a proxy. */
  | { kind: 'foreign'; status: number; retry_after_s: number | undefined }
  | { kind: 'no_answer'; was_sent: boolean; cause: unknown }

export type AttemptRequest = {
  url: string
  method: string
  headers: Record<string, string>
  body: string | undefined
  timeout_ms: number
  signal: AbortSignal | undefined
  /** A file is returned as a stream as soon as it begins, after which there is no deadline. */
  is_file: boolean
}

export async function attempt(
  send: typeof fetch,
  { url, method, headers, body, timeout_ms, signal, is_file }: AttemptRequest,
): Promise<Answer> {
  const deadline = new AbortController()
  const timer = setTimeout(
    () => deadline.abort(new Error(`no answer within ${timeout_ms} ms`)),
    timeout_ms,
  )
  const stop = () => deadline.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true) stop()
  let isStream = false
  try {
    const response = await send(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      // A redirect would pass the credential on to another address.
      redirect: 'manual',
      signal: deadline.signal,
    })
    if (is_file && response.ok && response.body) {
      isStream = true
      return { kind: 'success', content: response.body }
    }
    return read(response, await response.text())
  } catch (cause) {
    return { kind: 'no_answer', was_sent: !isUnsent(cause), cause }
  } finally {
    clearTimeout(timer)
    // The caller's signal also ends a file that is being read.
    if (!isStream) signal?.removeEventListener('abort', stop)
  }
}

function read(response: Response, text: string): Answer {
  const { status } = response
  const envelope = envelopeIn(text)
  if (envelope?.success === true && status === 200) {
    return { kind: 'success', content: envelope.content }
  }
  const retry_after_s = secondsOf(response.headers.get('retry-after'))
  return envelope?.success === false
    ? { kind: 'refusal', status, envelope, retry_after_s }
    : { kind: 'foreign', status, retry_after_s }
}

function envelopeIn(text: string): Envelope | undefined {
  try {
    const value = JSON.parse(text) as Partial<Envelope> | null
    const isEnvelope = typeof value?.success === 'boolean' && typeof value.message === 'string'
    return isEnvelope ? (value as Envelope) : undefined
  } catch {
    return undefined
  }
}

/** The service sends seconds; the dates that a proxy may send are not used. */
const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined

const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether no connection was established, as the causes of the error of `fetch` in Node.js say. */
function isUnsent(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown }
  if (typeof code === 'string' && UNSENT.has(code)) return true
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isUnsent)
  return cause !== undefined && isUnsent(cause)
}
