/** Calls the API of the service as an app does. */
type Json = Record<string, unknown>
export type Caller = (method: 'POST' | 'PATCH', path: string, body: Json) => Promise<Json>

const TIMEOUT_MS = 30_000

export type CallerOptions = {
  /** `http://127.0.0.1:8080`, without a slash at the end. */
  readonly service_url: string
  /** Access token of an owner or admin. */
  readonly access_token: string
  readonly org_id: string
}

/**
 * Creates a function that returns the `content` of an answer and throws an error with the status and
 * message of a refusal.
 */
export function createCaller({ service_url, access_token, org_id }: CallerOptions): Caller {
  return async (method, path, body) => {
    const request: RequestInit = {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ org_id, ...body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }
    const response = await fetch(`${service_url}${path}`, request)
    const answer = (await response.json()) as { message?: string; content?: Json }
    if (response.ok) return answer.content ?? {}
    throw new Error(`${method} ${path}: ${response.status} ${answer.message ?? ''}`)
  }
}
