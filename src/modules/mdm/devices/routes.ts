/** Managed devices for members of their organisation (specification, "MDM"). */
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { PAGE_DEFAULT } from '../../../platform/http/paging.ts'
import type { Members } from '../../accounts/index.ts'
import { requireOperator, requireReader } from '../access.ts'
import type { DeviceEditing } from './editing.ts'
import type { DeviceReading } from './reading.ts'
import { type ManagedDeviceLimits, managedDeviceSchemas } from './schema.ts'

export type DeviceRouteDependencies = {
  accounts: Members
  reading: DeviceReading
  editing: DeviceEditing
  field_limits: ManagedDeviceLimits
}

const LISTED = 'Devices'
const FOUND = 'Device'
const UPDATED = 'Device updated'
const DELETED = 'The device will be unenrolled and wiped'

const config = { access: 'portal', rate_class: 'console' } as const
const tags = ['MDM']

export function deviceRoutes(app: App, deps: DeviceRouteDependencies): void {
  const schemas = managedDeviceSchemas(deps.field_limits)
  readingRoutes(app, deps, schemas)
  editingRoutes(app, deps, schemas)
}

type Schemas = ReturnType<typeof managedDeviceSchemas>

function readingRoutes(app: App, deps: DeviceRouteDependencies, schemas: Schemas): void {
  const { accounts, reading } = deps

  app.get(
    '/v1/mdm/devices',
    {
      config,
      schema: {
        operationId: 'listMdmDevices',
        summary: 'Devices, the newest enrolled first; deleted ones only with `state=deleted`',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-29, OP-31, OP-76, OP-84',
        querystring: schemas.listQuery,
        response: responses(schemas.devices, LISTED),
      },
    },
    async (request) => {
      const { org_id, ...asked } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      return envelope(LISTED, await reading.list(org_id, { ...PAGE_DEFAULT, ...asked }))
    },
  )

  app.get(
    '/v1/mdm/devices/:device_id',
    {
      config,
      schema: {
        operationId: 'getMdmDevice',
        summary: 'One device with its newest commands and what happened to it lately',
        tags,
        'x-open-point': 'OP-28, OP-29, OP-38, OP-76, OP-77, OP-78, OP-84',
        params: schemas.deviceId,
        querystring: schemas.inOrganization,
        response: responses(schemas.deviceWithHistory, FOUND),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      return envelope(FOUND, found(await reading.find(org_id, request.params.device_id)))
    },
  )
}

function editingRoutes(app: App, deps: DeviceRouteDependencies, schemas: Schemas): void {
  const { accounts, editing } = deps

  app.patch(
    '/v1/mdm/devices/:device_id',
    {
      config,
      schema: {
        operationId: 'updateMdmDevice',
        summary: 'Change what the organisation notes about a device',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-76, OP-84',
        params: schemas.deviceId,
        querystring: schemas.inOrganization,
        body: schemas.update,
        response: responses(schemas.device, UPDATED),
      },
    },
    async (request) => {
      const subject = { ...request.query, ...request.params, ...userOf(request) }
      await requireOperator(accounts, subject.user_id, subject.org_id)
      return envelope(UPDATED, found(await editing.update(subject, request.body)))
    },
  )

  app.delete(
    '/v1/mdm/devices/:device_id',
    {
      config,
      schema: {
        operationId: 'deleteMdmDevice',
        summary: 'Unenrol and wipe a device',
        tags,
        'x-open-point': 'OP-28, OP-38, OP-76, OP-84',
        params: schemas.deviceId,
        querystring: schemas.inOrganization,
        response: responses(schemas.device, DELETED),
      },
    },
    async (request) => {
      const subject = { ...request.query, ...request.params, ...userOf(request) }
      await requireOperator(accounts, subject.user_id, subject.org_id)
      return envelope(DELETED, found(await editing.requestDeletion(subject)))
    },
  )
}

function found<T>(record: T | undefined): T {
  if (record === undefined) throw notFound()
  return record
}
