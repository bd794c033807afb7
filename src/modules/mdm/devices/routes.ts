/** Managed devices (specification, "MDM"): members read, owners and admins make changes. */
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { found } from '../../../platform/http/found.ts'
import { PAGE_DEFAULT } from '../../../platform/http/paging.ts'
import { bodyMaxBytes } from '../../../platform/http/schemas.ts'
import { mdmRoute } from '../route.ts'
import type { DeviceEditing } from './editing.ts'
import type { DeviceReading } from './reading.ts'
import { type ManagedDeviceLimits, managedDeviceSchemas } from './schema.ts'

export type DeviceRouteDependencies = {
  reading: DeviceReading
  editing: DeviceEditing
  field_limits: ManagedDeviceLimits
}

const LISTED = 'Devices'
const FOUND = 'Device'
const UPDATED = 'Device updated'
const DELETED = 'The device will be unenrolled and wiped'

export function deviceRoutes(
  app: App,
  { reading, editing, field_limits }: DeviceRouteDependencies,
): void {
  const schemas = managedDeviceSchemas(field_limits)

  app.get(
    '/v1/mdm/devices',
    mdmRoute('read', {
      operationId: 'listMdmDevices',
      summary: 'List devices, newest enrolled first; deleted devices only with `state=deleted`',
      'x-open-point': 'OP-18, OP-28, OP-29, OP-31, OP-76, OP-84',
      querystring: schemas.listQuery,
      response: responses(schemas.devices, LISTED),
    }),
    async ({ member, query }) =>
      envelope(LISTED, await reading.list(member.org_id, { ...PAGE_DEFAULT, ...query })),
  )

  app.get(
    '/v1/mdm/devices/:device_id',
    mdmRoute('read', {
      operationId: 'getMdmDevice',
      summary: 'Get a device with its newest commands and events',
      'x-open-point': 'OP-28, OP-29, OP-38, OP-76, OP-77, OP-78, OP-84',
      params: schemas.deviceId,
      response: responses(schemas.deviceWithHistory, FOUND),
    }),
    async ({ member, params }) =>
      envelope(FOUND, found(await reading.find(member.org_id, params.device_id))),
  )

  app.patch(
    '/v1/mdm/devices/:device_id',
    mdmRoute(
      'change',
      {
        operationId: 'updateMdmDevice',
        summary: 'Update the metadata of a device',
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-76, OP-84',
        params: schemas.deviceId,
        body: schemas.update,
        response: responses(schemas.device, UPDATED),
      },
      { max_bytes: bodyMaxBytes(field_limits) + field_limits.mdm_attributes_max_bytes },
    ),
    async ({ member: { org_id, user_id }, params, body }) => {
      const subject = { org_id, user_id, ...params }
      return envelope(UPDATED, found(await editing.update(subject, body)))
    },
  )

  app.delete(
    '/v1/mdm/devices/:device_id',
    mdmRoute(
      'change',
      {
        operationId: 'deleteMdmDevice',
        summary: 'Unenroll and wipe a device',
        'x-open-point': 'OP-28, OP-38, OP-76, OP-84, OP-163',
        params: schemas.deviceId,
        response: responses(schemas.device, DELETED),
      },
      { fresh_factor: true },
    ),
    async ({ member: { org_id, user_id }, params }) => {
      const subject = { org_id, user_id, ...params }
      return envelope(DELETED, found(await editing.requestDeletion(subject)))
    },
  )
}
