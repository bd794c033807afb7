/** The control interface of the FCM emulator over HTTP. */
import { type ControlRoute, controlRoute } from '../control-routes.ts'
import type { FcmControl } from './control.ts'
import { read } from './control-schema.ts'

const route = controlRoute<FcmControl>

export const CONTROL_ROUTES: readonly ControlRoute<FcmControl>[] = [
  route('GET service-account', (control, { query }) =>
    control.serviceAccount(read.phone(projectIn(query)).project_id),
  ),
  route('POST service-accounts', (control, { body }) => {
    control.addServiceAccount(read.account(body))
  }),
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
  route('POST expire-tokens', (control) => control.expireTokens()),
  route('GET truth', (control) => control.truth()),
  route('DELETE truth', (control) => control.clear()),
  route('GET requests', (control) => ({ requests: control.requests() })),
  route('GET traffic', (control) => control.traffic()),
]

const projectIn = (query: URLSearchParams): { project_id?: string } => {
  const project_id = query.get('project_id')
  return project_id === null ? {} : { project_id }
}
