/** Specification, "Edge devices and logs": registration, heartbeat and list of devices. */
import type { App } from '../../../platform/http/app.ts'
import { readDates } from '../../../platform/http/dates.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { found } from '../../../platform/http/found.ts'
import { PAGE_DEFAULT } from '../../../platform/http/paging.ts'
import { bodyMaxBytes } from '../../../platform/http/schemas.ts'
import { memberOperation } from '../member-operation.ts'
import { type DeviceLimits, deviceSchemas } from './schema.ts'
import type { Devices } from './service.ts'

export type DeviceRouteDependencies = {
  devices: Devices
  field_limits: DeviceLimits
}

const REGISTERED = 'Device registered'
const HEARD = 'Heartbeat received'
const LISTED = 'Devices'

const tags = ['Edge']
const ingest = { access: 'secret_key', scope: 'logs:write', rate_class: 'ingest' } as const

export function edgeDeviceRoutes(app: App, deps: DeviceRouteDependencies): void {
  const { devices, field_limits } = deps
  const schemas = deviceSchemas(field_limits)

  app.post(
    '/v1/edge/devices/register',
    {
      // 100 tags of 256 characters come on top of the other texts.
      config: { ...ingest, body: { max_bytes: 2 * bodyMaxBytes(field_limits) } },
      schema: {
        operationId: 'registerEdgeDevice',
        summary: 'Register a device or update its fields',
        tags,
        'x-open-point': 'OP-11, OP-18, OP-37, OP-68, OP-72, OP-147',
        body: schemas.registration,
        response: responses(schemas.device, REGISTERED),
      },
    },
    async ({ key, body }) => envelope(REGISTERED, await devices.register(key, body)),
  )

  app.post(
    '/v1/edge/devices/:device_id/heartbeat',
    {
      config: ingest,
      schema: {
        operationId: 'heartbeatEdgeDevice',
        summary: 'Report that a device is running',
        tags,
        'x-open-point': 'OP-11, OP-38, OP-68, OP-72',
        params: schemas.deviceId,
        response: responses(schemas.device, HEARD),
      },
    },
    async ({ key, params }) =>
      envelope(HEARD, found(await devices.heartbeat(key, params.device_id))),
  )

  app.get(
    '/v1/edge/devices',
    memberOperation('listEdgeDevices', 'List the devices of an organization, last seen first', {
      'x-open-point': 'OP-11, OP-12, OP-18, OP-63, OP-143',
      querystring: schemas.listQuery,
      response: responses(schemas.devices, LISTED),
    }),
    async ({ member, query: { start_date, end_date, ...paging } }) => {
      const query = { ...PAGE_DEFAULT, ...paging, ...readDates({ start_date, end_date }) }
      return envelope(LISTED, await devices.list(member.org_id, 'live', query))
    },
  )
}
