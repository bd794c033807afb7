/** The routes of the control interface of the Android Management emulator. */
import { type ControlRoute, controlRoute } from '../control-routes.ts'
import type { AndroidControl } from './control.ts'
import { read } from './control-schema.ts'

const route = controlRoute<AndroidControl>

export const CONTROL_ROUTES: readonly ControlRoute<AndroidControl>[] = [
  route('GET service-account', (control) => control.serviceAccount()),
  route('POST signups/{}', (control, { id, body }) =>
    control.completeSignup(id, read.signup(body)),
  ),
  route('GET enterprises', (control) => ({ enterprises: control.listEnterprises() })),
  route('POST phones/bulk', (control, { body }) => control.startBulk(read.bulk(body))),
  route('GET phones/bulk', (control) => control.bulkProgress()),
  route('POST phones', (control, { body }) => control.enrollPhone(read.enroll(body))),
  route('GET phones', (control, { query }) => {
    const limit = query.get('limit')
    return {
      phones: control.listPhones({
        enterprise: query.get('enterprise') ?? undefined,
        ...(limit !== null && { limit: Math.max(1, Number(limit) || 1) }),
      }),
    }
  }),
  route('GET phones/{}', (control, { id }) => control.getPhone(id)),
  route('PATCH phones/{}', (control, { id, body }) => control.changePhone(id, read.change(body))),
  route('POST phones/{}/report', (control, { id }) => control.report(id)),
  route('POST phones/{}/violate', (control, { id, body }) =>
    control.violate(id, read.violation(body)),
  ),
  route('POST phones/{}/repair', (control, { id, body }) => control.repair(id, read.repair(body))),
  route('POST phones/{}/commands/{}/acknowledge', (control, { id, inner }) =>
    control.acknowledgeCommand(id, inner),
  ),
  route('POST phones/{}/commands/{}/fail', (control, { id, inner, body }) =>
    control.failCommand(id, inner, read.failure(body)),
  ),
  route('POST phones/{}/reset', (control, { id }) => control.resetPhone(id)),
  route('POST phones/{}/apply-policy', (control, { id }) => control.applyPolicy(id)),
  route('GET faults', (control) => control.getFaults()),
  route('PUT faults', (control, { body }) => control.setFaults(read.faults(body))),
  route('POST clock', (control, { body }) => control.advanceClock(read.clock(body))),
  route('GET truth', (control) => control.truth()),
  route('GET requests', (control) => ({ requests: control.requests() })),
]
