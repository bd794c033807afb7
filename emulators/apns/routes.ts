/** Which part of the APNs emulator answers a request, and what is remembered of it. */
import { CONTROL_PREFIX, callControl } from '../control-routes.ts'
import type { WireReply, WireRequest } from '../http2-wire.ts'
import type { ApnsControl } from './control.ts'
import { CONTROL_ROUTES } from './control-api.ts'
import type { Core } from './core.ts'
import { answerSend } from './send.ts'

export function createRoutes(core: Core, control: ApnsControl) {
  return (request: WireRequest): WireReply => {
    const { method, path, connection } = request
    if (path.startsWith(CONTROL_PREFIX)) return callControl(CONTROL_ROUTES, control, request)
    // Apple speaks HTTP/2 only.
    if (connection === undefined) return { status: 0, fault: 'reset_connection' }
    const { reply, reason } = answerSend(core, request, connection)
    core.requests.add({
      at: core.now().toISOString(),
      method,
      path,
      status: reply.fault === undefined ? reply.status : null,
      reason,
    })
    return { ...reply, latency_ms: core.faults.latencyMs() }
  }
}
