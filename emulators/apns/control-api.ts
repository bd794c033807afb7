/** The control interface of the APNs emulator over HTTP. */
import { type ControlRoute, controlRoute } from '../control-routes.ts'
import type { ApnsControl } from './control.ts'
import { read } from './control-schema.ts'

const route = controlRoute<ApnsControl>

export const CONTROL_ROUTES: readonly ControlRoute<ApnsControl>[] = [
  route('GET key', (control) => control.signingKey()),
  route('GET keys', (control) => ({ keys: control.listKeys() })),
  route('POST keys', (control, { body }) => control.addKey(read.key(body))),
  route('PATCH keys/{}', (control, { ids, body }) =>
    control.changeKey(ids[0] ?? '', read.keyChange(body)),
  ),
  route('POST phones', (control, { body }) => control.makePhone(read.phone(body))),
  route('POST phones/bulk', (control, { body }) => {
    const { count, ...phone } = read.bulk(body)
    return { tokens: control.makePhones(count, phone) }
  }),
  route('GET phones', (control, { query }) => {
    const limit = query.get('limit')
    return { phones: control.listPhones(limit === null ? undefined : Number(limit) || 1) }
  }),
  route('GET phones/{}', (control, { ids }) => control.getPhone(ids[0] ?? '')),
  route('PATCH phones/{}', (control, { ids, body }) =>
    control.changePhone(ids[0] ?? '', read.change(body)),
  ),
  route('POST phones/{}/token', (control, { ids }) => control.renewToken(ids[0] ?? '')),
  route('GET faults', (control) => control.getFaults()),
  route('PUT faults', (control, { body }) => control.setFaults(read.faults(body))),
  route('GET quotas', (control) => control.getQuotas()),
  route('PATCH quotas', (control, { body }) => control.setQuotas(read.quotas(body))),
  route('GET truth', (control) => control.truth()),
  route('DELETE truth', (control) => control.clear()),
  route('GET requests', (control) => ({ requests: control.requests() })),
  route('GET traffic', (control) => control.traffic()),
]
