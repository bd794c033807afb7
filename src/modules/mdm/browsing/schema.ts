/** Responses of device management that only the console reads. */
import type { Device } from '../devices/schema.ts'
import type { Policy } from '../policies/schema.ts'
import type { ComplianceState, DeviceState, ManagementMode } from '../tables.ts'

/** The names to show where a record refers to a policy, a group or a user by id. */
export type MdmNames = {
  policies: Pick<Policy, 'id' | 'name' | 'management_mode' | 'version' | 'publish_state'>[]
  groups: { id: string; name: string; policy_id: string | null }[]
  /** Email addresses of the members of the organization, by user id. */
  people: Record<string, string>
}

/** `unknown` means that a connection is configured but cannot be used at the moment. */
export type ConnectedTo = 'google' | 'emulator' | 'nothing' | 'unknown'

export type MdmStatus = {
  connected_to: ConnectedTo
  /** Address of the emulator, where simulated phones are enrolled; null unless connected to one. */
  emulator_url: string | null
  /** Numbers of devices. Deleted devices are counted only in this member, as `deleted`. */
  by_state: Record<DeviceState, number>
  by_compliance: Record<ComplianceState, number>
  by_mode: Record<ManagementMode, number>
}

/** Newest enrolled first. A short or empty page is the last one only if `next_cursor` is null. */
export type FoundDevices = {
  devices: Device[]
  next_cursor: string | null
  /** Number of devices that were compared for this page. */
  examined: number
}

/** @property created_by id of a user */
export type PolicyVersion = { version: number; created_at: string; created_by: string | null }
export type PolicyVersions = { versions: PolicyVersion[] }
export type PolicyVersionWithJson = PolicyVersion & { policy_json: Record<string, unknown> }

/** @property field the path, `policy_json.applications.0.installType` */
export type PolicyFaults = { faults: { field: string; message: string }[] }
