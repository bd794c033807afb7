/** Contract of the managed devices (specification, "MDM resources" and "MDM"). */
import { type Static, Type } from 'typebox'
import { pagination, pagingQuery } from '../../../platform/http/paging.ts'
import { choice, IDENTIFIER_MAX_CHARS, maybe, nullable } from '../../../platform/http/schemas.ts'
import { auditEntries } from '../audit/schema.ts'
import { commands } from '../commands/schema.ts'
import { COMPLIANCE_STATES, DEVICE_STATES, MANAGEMENT_MODES, OWNERSHIPS } from '../tables.ts'

const EXAMPLE_DETAIL = {
  setting_name: 'passwordPolicies',
  field_path: null,
  package_name: null,
  reason: 'USER_ACTION',
  specific_reason: null,
  installation_failure_reason: null,
  first_seen_at: '2026-03-01T12:00:00.000Z',
  grace_period_expires_at: '2026-03-02T12:00:00.000Z',
}
export const EXAMPLE_DEVICE = {
  id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  name: 'Till 3',
  state: 'active',
  management_mode: 'fully_managed',
  ownership_type: 'company_owned',
  assigned_user_id: 'cashier-12',
  custom_attributes: { store: 'Bern' },
  group_id: null,
  policy_id: '0198c3a2-8c2f-7d4e-8b65-4a3c9f7e2d18',
  applied_policy_id: '0198c3a2-8c2f-7d4e-8b65-4a3c9f7e2d18',
  policy_error: null,
  compliance_state: 'grace_period',
  non_compliance_details: [EXAMPLE_DETAIL],
  grace_period_expires_at: '2026-03-02T12:00:00.000Z',
  brand: 'google',
  manufacturer: 'Google',
  model: 'Pixel 9',
  serial_number: '38021FDJG0001',
  os_version: '16',
  security_patch_level: '2026-02-05',
  enrolled_at: '2026-02-01T08:00:00.000Z',
  last_report_at: '2026-03-01T12:00:00.000Z',
  deletion_requested_at: null,
  deleted_at: null,
}
const EXAMPLE_PAGINATION = { page: 1, limit: 50, total: 1, pages: 1 }

const text = () => nullable(Type.String())
const time = (description?: string) =>
  Type.String({ format: 'date-time', ...(description !== undefined && { description }) })
const uuid = () => Type.String({ format: 'uuid' })
const attributes = () =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

const detail = Type.Object({
  setting_name: Type.String({ description: 'Name of the violated member of the policy' }),
  field_path: text(),
  package_name: text(),
  reason: Type.String({ description: "The provider's `nonComplianceReason`" }),
  specific_reason: text(),
  installation_failure_reason: text(),
  first_seen_at: time('Time of the first report of the violation'),
  grace_period_expires_at: time(),
})

export const device = Type.Object(
  {
    id: uuid(),
    name: text(),
    state: choice(DEVICE_STATES),
    management_mode: choice(MANAGEMENT_MODES),
    ownership_type: choice(OWNERSHIPS),
    assigned_user_id: text(),
    custom_attributes: attributes(),
    group_id: nullable(uuid()),
    policy_id: nullable(uuid()),
    applied_policy_id: nullable(uuid()),
    policy_error: text(),
    compliance_state: choice(COMPLIANCE_STATES),
    non_compliance_details: Type.Array(detail),
    grace_period_expires_at: nullable(time('Set only in the state `grace_period`')),
    brand: text(),
    manufacturer: text(),
    model: text(),
    serial_number: text(),
    os_version: text(),
    security_patch_level: text(),
    enrolled_at: time(),
    last_report_at: nullable(time()),
    deletion_requested_at: nullable(
      time('Time of the request; `deleted_at` is set once the provider confirms it'),
    ),
    deleted_at: nullable(time()),
  },
  { $id: 'ManagedDevice', examples: [EXAMPLE_DEVICE], 'x-open-point': 'OP-76' },
)
export type Device = Static<typeof device>

const devices = Type.Object(
  { devices: Type.Array(device), pagination },
  {
    $id: 'ManagedDevicePage',
    examples: [{ devices: [EXAMPLE_DEVICE], pagination: EXAMPLE_PAGINATION }],
    'x-open-point': 'OP-28',
  },
)
export type DevicePage = Static<typeof devices>

const deviceWithHistory = Type.Object(
  { device, commands, events: auditEntries },
  { $id: 'ManagedDeviceWithHistory', 'x-open-point': 'OP-28' },
)
export type DeviceWithHistory = Static<typeof deviceWithHistory>

export type ManagedDeviceLimits = {
  text_max_chars: number
  mdm_attributes_max_bytes: number
  mdm_page_max: number
}

export const managedDeviceSchemas = (limits: ManagedDeviceLimits) => ({
  deviceId: Type.Object({ device_id: Type.String() }),
  listQuery: Type.Object({
    ...pagingQuery(limits.mdm_page_max),
    state: Type.Optional(choice(DEVICE_STATES)),
    mode: Type.Optional(choice(MANAGEMENT_MODES)),
    compliance: Type.Optional(choice(COMPLIANCE_STATES)),
    group_id: Type.Optional(Type.String()),
  }),
  update: Type.Object(
    {
      name: maybe(Type.String({ maxLength: limits.text_max_chars })),
      ownership_type: Type.Optional(choice(OWNERSHIPS)),
      assigned_user_id: maybe(Type.String({ maxLength: IDENTIFIER_MAX_CHARS })),
      custom_attributes: Type.Optional(attributes()),
    },
    {
      $id: 'ManagedDeviceUpdate',
      examples: [{ name: 'Till 3', custom_attributes: { store: 'Bern' } }],
      'x-open-point': 'OP-28',
    },
  ),
  device,
  devices,
  deviceWithHistory,
})
export type DeviceUpdate = Static<ReturnType<typeof managedDeviceSchemas>['update']>
