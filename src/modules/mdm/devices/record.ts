/** Converts the row of a device to the record that clients and receivers of events get. */
import type { MdmTables } from '../tables.ts'
import type { Device } from './schema.ts'

export type DeviceRow = MdmTables['mdm_devices']

const iso = (time: Date | null): string | null => time?.toISOString() ?? null

export function toDevice(row: DeviceRow): Device {
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    management_mode: row.management_mode,
    ownership_type: row.ownership_type,
    assigned_user_id: row.assigned_user_id,
    custom_attributes: row.custom_attributes,
    group_id: row.group_id,
    policy_id: row.policy_id,
    applied_policy_id: row.applied_policy_id,
    policy_error: row.policy_error,
    compliance_state: row.compliance_state,
    non_compliance_details: row.non_compliance_details,
    grace_period_expires_at: iso(row.grace_period_expires_at),
    brand: row.brand,
    manufacturer: row.manufacturer,
    model: row.model,
    serial_number: row.serial_number,
    os_version: row.os_version,
    security_patch_level: row.security_patch_level,
    enrolled_at: row.enrolled_at.toISOString(),
    last_report_at: iso(row.last_report_at),
    deletion_requested_at: iso(row.deletion_requested_at),
    deleted_at: iso(row.deleted_at),
  }
}
