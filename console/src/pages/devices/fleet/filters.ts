/** Filters of the list of devices, in the address. */
import type { Query } from '../../../api/client.ts'
import type { Filters } from '../../../shell/filters.ts'

export const NO_FILTERS = {
  q: '',
  state: '',
  compliance: '',
  mode: '',
  group_id: '',
  policy_id: '',
  page: '1',
}
export type DeviceFilters = Filters<keyof typeof NO_FILTERS>

/** What the list of the specification has no parameter for is looked for row by row. */
export const isSearch = ({ q, policy_id, group_id }: DeviceFilters): boolean =>
  q !== '' || policy_id !== '' || group_id === 'none'

export const queryOf = ({ page: _page, ...filters }: DeviceFilters, org_id: string): Query => ({
  org_id,
  ...filters,
})

export const isFiltered = ({ page: _page, ...filters }: DeviceFilters): boolean =>
  Object.values(filters).some((value) => value !== '')
