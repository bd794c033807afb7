/** What the console reads of device management beside the operations of the specification. */
import type {
  ComplianceState,
  DeviceState,
  ManagementMode,
} from '../../../platform/postgres/tables/mdm.ts'
import type { Device } from '../devices/schema.ts'
import type { Policy } from '../policies/schema.ts'

/** By which records are called where others refer to them. */
export type MdmNames = {
  policies: Pick<Policy, 'id' | 'name' | 'management_mode' | 'version' | 'publish_state'>[]
  groups: { id: string; name: string; policy_id: string | null }[]
  /** E-mail addresses of the members of the organisation, by their ids. */
  people: Record<string, string>
}

/** `unknown`: there is a connection, and it cannot be used at the moment. */
export type ConnectedTo = 'google' | 'emulator' | 'nothing' | 'unknown'

export type MdmStanding = {
  connected_to: ConnectedTo
  /** Where phones are played that are no phones; null unless it is an emulator. */
  emulator_url: string | null
  /** Devices, without those that are deleted but for their own state. */
  by_state: Record<DeviceState, number>
  by_compliance: Record<ComplianceState, number>
  by_mode: Record<ManagementMode, number>
}

/** The newest enrolled first; a page may be short, or empty, and yet not the last one. */
export type FoundDevices = {
  devices: Device[]
  next_cursor: string | null
  /** How many were compared for this page. */
  examined: number
}

/** @property created_by id of a user */
export type PolicyVersion = { version: number; created_at: string; created_by: string | null }
export type PolicyVersions = { versions: PolicyVersion[] }
export type PolicyVersionWithJson = PolicyVersion & { policy_json: Record<string, unknown> }

/** @property field the path, `policy_json.applications.0.installType` */
export type PolicyFaults = { faults: { field: string; message: string }[] }
