/**
 * Sends the documented requests of `/v1` with the TypeScript client for servers instead of as they are, so
 * that a test can show that the client has all of them.
 */

import { OPERATIONS } from '../../sdk/server-ts/src/generated/operations.ts'
import { createVigil, VigilError } from '../../sdk/server-ts/src/index.ts'
import type { App } from '../../src/platform/http/app.ts'
import type { CurlRequest } from './examples.ts'

type Answer = { status: number; text: string }
type Call = (...args: unknown[]) => Promise<unknown>

/** @returns what the service answered to the client */
export async function requestByClient(app: App, request: CurlRequest): Promise<Answer> {
  const url = new URL(request.url)
  const path = url.pathname.replace(/^\/v1/, '')
  const found = Object.entries(OPERATIONS).flatMap(([name, operation]) => {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => each)
    const pattern = operation.path.replaceAll(/\{\w+\}/g, '([^/]+)')
    const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1)
    if (!values || operation.method !== request.method) return []
    const inPath = names.map((each, index) => [each, decodeURIComponent(values[index] ?? '')])
    return [{ name, operation, params: Object.fromEntries(inPath) as Record<string, string> }]
  })
  // `/check/sandbox` also has the form of `/check/{id}`.
  const [match] = found.toSorted((a, b) => Number(!!a.params['id']) - Number(!!b.params['id']))
  if (!match) throw new Error(`No operation of the client is ${request.method} ${path}`)
  let answer: Answer | undefined
  const vigil = createVigil({
    base_url: 'http://127.0.0.1:8080/v1',
    api_key: request.headers['x-api-key'] ?? url.searchParams.get('api_key') ?? 'none',
    access_token: request.headers['authorization']?.replace('Bearer ', '') ?? 'none',
    retries: 0,
    fetch: async (target: string | URL | Request, init) => {
      const { pathname, search } = new URL(target instanceof Request ? target.url : target)
      const { statusCode, body, headers } = await app.inject({
        method: init?.method as 'GET',
        url: pathname + search,
        headers: init?.headers as Record<string, string>,
        payload: withoutFilledKey((init?.body as string | undefined) ?? '', request.body),
      })
      answer = { status: statusCode, text: body }
      return new Response(body, { status: statusCode, headers: headers as Record<string, string> })
    },
  })
  const { name, operation, params } = match
  const hasParams = operation.path.includes('{') || 'query' in operation
  const query = Object.fromEntries(url.searchParams)
  const args = [
    ...(hasParams ? [{ ...params, ...query }] : []),
    ...('has_body' in operation ? [JSON.parse(request.body ?? '{}') as unknown] : []),
    { idempotency_key: request.headers['idempotency-key'] },
  ]
  try {
    const result = await (vigil as unknown as Record<string, Call>)[name]?.(...args)
    if (result instanceof ReadableStream) await new Response(result).text()
  } catch (error) {
    if (!(error instanceof VigilError)) throw error
  }
  if (!answer) throw new Error(`${name} sent no request`)
  return answer
}

/** Without the `event_id` that the client fills in, because a later example shows the stored one. */
function withoutFilledKey(sent: string, documented: string | undefined): string {
  if (sent === '' || documented === undefined || documented.includes('event_id')) return sent
  const { event_id: _, ...body } = JSON.parse(sent) as Record<string, unknown>
  return JSON.stringify(body)
}
