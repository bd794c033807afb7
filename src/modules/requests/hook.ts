/** Records requests in the request log, without body and query, which can contain secrets. */
import type { App } from '../../platform/http/app.ts'
import type { Caller } from '../access/index.ts'
import type { RequestRecorder } from './recorder.ts'

type Recorder = Pick<RequestRecorder, 'wants' | 'record' | 'start' | 'stop'>

const API = '/v1/'
const REFUSED_FROM = 400

/** Requests without a known organization, such as those with a wrong key, are not recorded. */
export function recordRequests(app: App, recorder: Recorder): void {
  app.addHook('onReady', (done) => {
    recorder.start()
    done()
  })
  app.addHook('onClose', recorder.stop)
  app.addHook('onResponse', (request, reply, done) => {
    const { caller } = request
    // Requests of customers in portals are those of a console, which are not of interest either.
    if (caller === undefined || 'link_id' in caller) return done()
    const { statusCode: status } = reply
    const isKey = 'key_id' in caller
    const org_id = isKey ? caller.org_id : organizationOf(request, status)
    if (org_id !== undefined && recorder.wants(org_id, status)) {
      const { url } = request
      const query = url.indexOf('?')
      recorder.record({
        org_id,
        mode: isKey ? caller.mode : null,
        method: request.method,
        route: request.routeOptions.url ?? '',
        path: query === -1 ? url : url.slice(0, query),
        status,
        duration_ms: reply.elapsedTime,
        key_id: isKey ? caller.key_id : '',
        user_id: isKey ? '' : caller.user_id,
      })
    }
    done()
  })
}

/**
 * The organization of a signed-in user's request to the API. The console's own requests are too
 * frequent to be of interest, and refused requests prove no membership.
 */
function organizationOf(
  { url, caller }: { url: string; caller: Caller | undefined },
  status: number,
): string | undefined {
  if (status >= REFUSED_FROM || !url.startsWith(API)) return undefined
  return caller && 'role' in caller ? caller.org_id : undefined
}
