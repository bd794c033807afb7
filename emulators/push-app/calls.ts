/** Calls of the service as an app makes them. */
import type { PushAppOptions } from './index.ts'

type Json = Record<string, unknown>
export type Caller = (method: 'POST' | 'PATCH', path: string, body: Json) => Promise<Json>

const TIMEOUT_MS = 30_000

/** @returns `content` of an answer; throws what is refused */
export function createCaller({
  service_url,
  access_token,
  org_id,
}: Pick<PushAppOptions, 'service_url' | 'access_token' | 'org_id'>): Caller {
  return async (method, path, body) => {
    const request: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ org_id, ...body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }
    const response = await fetch(`${service_url}${path}`, request)
    const answer = (await response.json()) as { message?: string; content?: Json }
    if (response.ok) return answer.content ?? {}
    throw new Error(`${method} ${path}: ${response.status} ${answer.message ?? ''}`)
  }
}
