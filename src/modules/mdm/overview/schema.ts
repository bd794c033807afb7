/** Response schema of the overview (specification, "MDM resources": "Overview counts"). */
import { type Static, Type } from 'typebox'

const EXAMPLE_OVERVIEW = {
  total_devices: 120,
  active_devices: 112,
  provisioning_devices: 5,
  non_compliant_devices: 3,
  by_mode: { fully_managed: 80, work_profile: 40 },
}

const count = () => Type.Integer({ minimum: 0 })

export const overview = Type.Object(
  {
    total_devices: Type.Integer({ minimum: 0, description: 'Excludes deleted devices' }),
    active_devices: count(),
    provisioning_devices: count(),
    non_compliant_devices: count(),
    by_mode: Type.Object({ fully_managed: count(), work_profile: count() }),
  },
  { $id: 'MdmOverview', examples: [EXAMPLE_OVERVIEW], 'x-open-point': 'OP-28' },
)
export type Overview = Static<typeof overview>
