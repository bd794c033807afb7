import type { Filters } from '../../../shell/filters.ts'

export const FILTER_DEFAULTS = {
  q: '',
  state: '',
  compliance: '',
  mode: '',
  group_id: '',
  policy_id: '',
}
export type DeviceFilters = Filters<keyof typeof FILTER_DEFAULTS>

/** The list operation of the specification lacks these filters. A search goes through all devices. */
export const isSearch = ({ q, policy_id, group_id }: DeviceFilters): boolean =>
  q !== '' || policy_id !== '' || group_id === 'none'
