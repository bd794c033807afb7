/** Specification, "Edge devices and logs": registration, heartbeat and list. */
import { keyOf, userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { readDates } from '../../../platform/http/dates.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { PAGE_DEFAULT } from '../../../platform/http/paging.ts'
import { type Members, requireMember } from '../../accounts/index.ts'
import { type DeviceLimits, deviceSchemas } from './schema.ts'
import type { Devices } from './service.ts'

export type DeviceRouteDependencies = {
  accounts: Members
  devices: Devices
  field_limits: DeviceLimits
}

const REGISTERED = 'Device registered'
const HEARD = 'Heartbeat received'
const LISTED = 'Devices'

const tags = ['Edge']
const ingest = { access: 'secret_key', rate_class: 'ingest' } as const

export function edgeDeviceRoutes(app: App, deps: DeviceRouteDependencies): void {
  const { accounts, devices, field_limits } = deps
  const schemas = deviceSchemas(field_limits)

  app.post(
    '/v1/edge/devices/register',
    {
      config: ingest,
      schema: {
        operationId: 'registerEdgeDevice',
        summary: 'Register a device, or change what is known of it',
        tags,
        'x-open-point': 'OP-11, OP-18, OP-37, OP-68, OP-72',
        body: schemas.registration,
        response: responses(schemas.device, REGISTERED),
      },
    },
    async (request) => envelope(REGISTERED, await devices.register(keyOf(request), request.body)),
  )

  app.post(
    '/v1/edge/devices/:device_id/heartbeat',
    {
      // Clients name a content type even when they send nothing; elsewhere an empty body is a fault.
      config: { ...ingest, body: { is_optional: true } },
      schema: {
        operationId: 'heartbeatEdgeDevice',
        summary: 'Say that a device is there',
        tags,
        'x-open-point': 'OP-11, OP-38, OP-68, OP-72',
        params: schemas.deviceId,
        response: responses(schemas.device, HEARD),
      },
    },
    async (request) => {
      const device = await devices.heartbeat(keyOf(request), request.params.device_id)
      if (!device) throw notFound()
      return envelope(HEARD, device)
    },
  )

  app.get(
    '/v1/edge/devices',
    {
      config: { access: 'portal', rate_class: 'console' },
      schema: {
        operationId: 'listEdgeDevices',
        summary: 'The devices of an organisation, the one heard from last first',
        tags,
        'x-open-point': 'OP-11, OP-12, OP-18, OP-63',
        querystring: schemas.listQuery,
        response: responses(schemas.devices, LISTED),
      },
    },
    async (request) => {
      const { org_id, start_date, end_date, ...asked } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const query = { ...PAGE_DEFAULT, ...asked, ...readDates({ start_date, end_date }) }
      return envelope(LISTED, await devices.list(org_id, 'live', query))
    },
  )
}
