/** Contract of the devices (specification, "Edge device registration" and "Edge devices and logs"). */
import { type Static, Type } from 'typebox'
import { pagination, pagingQuery } from '../../../platform/http/paging.ts'
import {
  choice,
  dateParameter,
  IDENTIFIER_MAX_CHARS,
  type Limits,
  maybe,
  nullable,
  strictObject,
} from '../../../platform/http/schemas.ts'
import { DEVICE_TYPES } from '../tables.ts'

export type DeviceLimits = Pick<Limits, 'text_max_chars'> & { edge_page_max: number }

const TAGS_MAX = 100

const EXAMPLE_REGISTRATION = {
  device_id: 'pos-3',
  device_type: 'pos',
  name: 'Till 3',
  firmware_version: '4.2.1',
  location: { name: 'Station Street', address: 'Station Street 12, Bern' },
  tags: ['front'],
}
const EXAMPLE_DEVICE = {
  ...EXAMPLE_REGISTRATION,
  last_seen_at: '2026-03-01T12:00:00.000Z',
  status: 'active',
}

const device = Type.Object(
  {
    device_id: Type.String(),
    device_type: Type.Union([choice(DEVICE_TYPES), Type.Null()]),
    name: nullable(Type.String()),
    firmware_version: nullable(Type.String()),
    location: Type.Union([
      Type.Object({ name: nullable(Type.String()), address: nullable(Type.String()) }),
      Type.Null(),
    ]),
    tags: Type.Array(Type.String()),
    last_seen_at: Type.String({
      format: 'date-time',
      description: 'Time of the last registration, heartbeat or log, by the clock of the service',
    }),
    status: choice(['active', 'inactive']),
  },
  { $id: 'EdgeDevice', examples: [EXAMPLE_DEVICE], 'x-open-point': 'OP-11' },
)
export type Device = Static<typeof device>

const devices = Type.Object(
  {
    devices: Type.Array(device),
    pagination,
  },
  {
    $id: 'EdgeDevicePage',
    examples: [
      { devices: [EXAMPLE_DEVICE], pagination: { page: 1, limit: 50, total: 1, pages: 1 } },
    ],
    'x-open-point': 'OP-12',
  },
)
export type DevicePage = Static<typeof devices>

/** A device in the console; `first_seen_at` is when it registered or sent its first log. */
export type KnownDevice = Device & { first_seen_at: string }

/** A page of a text search can be short or empty; more follow as long as there is a cursor. */
export type KnownDevicePage = {
  devices: KnownDevice[]
  next_cursor: string | null
  /** A device is active if it was last seen within this number of minutes. */
  active_minutes: number
}

export const deviceSchemas = (limits: DeviceLimits) => {
  const text = () => Type.String({ maxLength: limits.text_max_chars })
  const registration = Type.Object(
    {
      device_id: Type.String({
        minLength: 1,
        maxLength: IDENTIFIER_MAX_CHARS,
        description: 'Your identifier of the device, unique per organization',
      }),
      device_type: maybe(choice(DEVICE_TYPES)),
      name: maybe(text()),
      firmware_version: maybe(text()),
      location: maybe(Type.Object({ name: maybe(text()), address: maybe(text()) })),
      tags: maybe(Type.Array(text(), { maxItems: TAGS_MAX })),
    },
    { $id: 'EdgeDeviceRegistration', examples: [EXAMPLE_REGISTRATION], 'x-open-point': 'OP-11' },
  )
  const listQuery = strictObject({
    ...pagingQuery(limits.edge_page_max),
    start_date: dateParameter({
      description: 'ISO 8601 date or time: devices last seen at this time or later',
    }),
    end_date: dateParameter({
      description:
        'ISO 8601 date or time, not before `start_date`: devices last seen at this time or earlier',
    }),
  })
  return {
    registration,
    listQuery,
    device,
    devices,
    deviceId: Type.Object({
      device_id: Type.String({
        description: 'Your identifier of the device',
        examples: [EXAMPLE_DEVICE.device_id],
      }),
    }),
  }
}

export type Registration = Static<ReturnType<typeof deviceSchemas>['registration']>
