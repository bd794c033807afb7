/** Routes the requests of the APNs emulator and records them. */
import { isControlPath, recordOf } from '../control-routes.ts'
import type { WireReply, WireRequest } from '../http2-wire.ts'
import { answerControl } from '../push-control.ts'
import { type ApnsControl, CONTROL_ROUTES } from './control.ts'
import type { Core } from './core.ts'
import { answerSend } from './send.ts'

export function createRoutes(core: Core, control: ApnsControl) {
  return (request: WireRequest): WireReply => {
    const { path, connection } = request
    if (isControlPath(path)) return answerControl(CONTROL_ROUTES, control, request)
    // Apple accepts HTTP/2 only.
    if (connection === undefined) return { status: 0, fault: 'reset_connection' }
    const { reply, reason } = answerSend(core, request, connection)
    core.requests.add({ ...recordOf(core.now(), request, reply), reason })
    return { ...reply, latency_ms: core.faults.latencyMs() }
  }
}
