/** Which devices of an organisation a list shows. */
import { isUuid } from '../../../../platform/ids.ts'
import {
  type ComplianceState,
  DEVICE_STATES,
  type DeviceState,
  type ManagementMode,
} from '../../../../platform/postgres/tables/mdm.ts'

export type DeviceFilter = {
  /** Without one: all but the deleted ones. */
  state?: DeviceState
  mode?: ManagementMode
  compliance?: ComplianceState
  group_id?: string
}

export const LIVE_STATES = DEVICE_STATES.filter((state) => state !== 'deleted')

/** A group that cannot exist has no devices. */
export const canMatch = ({ group_id }: DeviceFilter): boolean =>
  group_id === undefined || isUuid(group_id)
