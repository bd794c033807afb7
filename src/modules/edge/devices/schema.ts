/** Contract of the devices (specification, "Edge device registration" and "Edge devices and logs"). */
import { type Static, Type } from 'typebox'
import { pagination, pagingQuery } from '../../../platform/http/paging.ts'
import {
  choice,
  IDENTIFIER_MAX_CHARS,
  type Limits,
  nullable,
} from '../../../platform/http/schemas.ts'
import { DEVICE_TYPES } from '../../../platform/postgres/tables/edge.ts'

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
      description: 'Last registration, heartbeat or log, by the clock of the service',
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

/** As the console shows a device: `first_seen_at` is when it was registered or first logged. */
export type KnownDevice = Device & { first_seen_at: string }

/** A page is short while a text is looked for; there is more as long as there is a cursor. */
export type KnownDevicePage = {
  devices: KnownDevice[]
  next_cursor: string | null
  /** A device is active that was heard from within so many minutes. */
  active_minutes: number
}

export const deviceSchemas = (limits: DeviceLimits) => {
  const text = () => Type.String({ maxLength: limits.text_max_chars })
  const registration = Type.Object(
    {
      device_id: Type.String({
        minLength: 1,
        maxLength: IDENTIFIER_MAX_CHARS,
        description: 'Your name of the device, unique per organisation',
      }),
      device_type: Type.Optional(choice(DEVICE_TYPES)),
      name: Type.Optional(text()),
      firmware_version: Type.Optional(text()),
      location: Type.Optional(
        Type.Object({ name: Type.Optional(text()), address: Type.Optional(text()) }),
      ),
      tags: Type.Optional(Type.Array(text(), { maxItems: TAGS_MAX })),
    },
    { $id: 'EdgeDeviceRegistration', examples: [EXAMPLE_REGISTRATION], 'x-open-point': 'OP-11' },
  )
  const listQuery = Type.Object({
    org_id: Type.String({ description: 'Organisation that you are a member of' }),
    ...pagingQuery(limits.edge_page_max),
    start_date: Type.Optional(
      Type.String({ description: 'ISO 8601, date or time: heard from then or later' }),
    ),
    end_date: Type.Optional(
      Type.String({ description: 'ISO 8601, date or time: last heard from until then' }),
    ),
  })
  return {
    registration,
    listQuery,
    device,
    devices,
    deviceId: Type.Object({
      device_id: Type.String({
        description: 'Your name of the device',
        examples: [EXAMPLE_DEVICE.device_id],
      }),
    }),
  }
}

export type Registration = Static<ReturnType<typeof deviceSchemas>['registration']>
