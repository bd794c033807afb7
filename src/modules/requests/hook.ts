/**
 * What of a request goes into the log: who and where, never a body or a query, which may hold what
 * nobody is to see again.
 */
import type { App } from '../../platform/http/app.ts'
import { isUuid } from '../../platform/ids.ts'
import type { RequestRecorder } from './recorder.ts'

type Recorded = Pick<RequestRecorder, 'wants' | 'record'>

type Asked = {
  url: string
  query: unknown
  body: unknown
  routeOptions: { schema?: { querystring?: unknown; body?: unknown } | undefined }
}

const API = '/v1/'
const REFUSED_FROM = 400

/** Requests without a known organisation, such as those with a wrong key, are nobody's to see. */
export function recordRequests(app: App, recorder: Recorded): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { principal } = request
    if (principal === undefined) return done()
    const { statusCode: status } = reply
    const isKey = 'key_id' in principal
    const org_id = isKey ? principal.org_id : organizationOf(request, status)
    if (org_id !== undefined && recorder.wants(org_id, status)) {
      const { url } = request
      const query = url.indexOf('?')
      recorder.record({
        org_id,
        mode: isKey ? principal.mode : null,
        method: request.method,
        route: request.routeOptions.url ?? '',
        path: query === -1 ? url : url.slice(0, query),
        status,
        duration_ms: reply.elapsedTime,
        key_id: isKey ? principal.key_id : '',
        user_id: isKey ? '' : principal.user_id,
      })
    }
    done()
  })
}

/**
 * Of a signed-in user the request names an organisation, and only an answer that is no refusal says
 * that it is theirs: nobody writes into the log of others. It counts where the route reads it; what
 * else came along, of another name perhaps, nobody has looked at.
 */
function organizationOf(request: Asked, status: number): string | undefined {
  if (status >= REFUSED_FROM || !request.url.startsWith(API)) return undefined
  const { schema } = request.routeOptions
  const given = isDeclared(schema?.querystring)
    ? request.query
    : isDeclared(schema?.body) && request.body
  const { org_id } = (given || {}) as { org_id?: unknown }
  return typeof org_id === 'string' && isUuid(org_id) ? org_id : undefined
}

const isDeclared = (schema: unknown): boolean =>
  (schema as { properties?: { org_id?: unknown } } | undefined)?.properties?.org_id !== undefined
