/** Filter of a list of devices. */
import { isUuid } from '../../../platform/ids.ts'
import {
  type ComplianceState,
  DEVICE_STATES,
  type DeviceState,
  type ManagementMode,
} from '../tables.ts'

export type DeviceFilter = {
  /** Without a state, the list contains all devices except deleted ones. */
  state?: DeviceState
  mode?: ManagementMode
  compliance?: ComplianceState
  group_id?: string
}

export const LIVE_STATES = DEVICE_STATES.filter((state) => state !== 'deleted')

/** A group id that is no UUID matches no devices. */
export const canMatch = ({ group_id }: DeviceFilter): boolean =>
  group_id === undefined || isUuid(group_id)
