/** SQL of the overview, from the counts that a trigger on the devices maintains. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Overview } from './schema.ts'

/** All numbers exclude deleted devices. */
export async function readOverview(db: Db, orgId: string): Promise<Overview> {
  const { rows } = await sql<Numbers>`
    select coalesce(sum(devices), 0)::bigint as total_devices,
      coalesce(sum(devices) filter (where state = 'active'), 0)::bigint as active_devices,
      coalesce(sum(devices) filter (where state = 'provisioning'), 0)::bigint
        as provisioning_devices,
      coalesce(sum(devices) filter (where compliance_state = 'non_compliant'), 0)::bigint
        as non_compliant_devices,
      coalesce(sum(devices) filter (where management_mode = 'fully_managed'), 0)::bigint
        as fully_managed,
      coalesce(sum(devices) filter (where management_mode = 'work_profile'), 0)::bigint
        as work_profile
    from mdm_device_counts where org_id = ${orgId} and state <> 'deleted'`.execute(db)
  const { fully_managed, work_profile, ...counts } = rows[0] ?? NONE
  return { ...counts, by_mode: { fully_managed, work_profile } }
}

type Numbers = Omit<Overview, 'by_mode'> & Overview['by_mode']

const NONE: Numbers = {
  total_devices: 0,
  active_devices: 0,
  provisioning_devices: 0,
  non_compliant_devices: 0,
  fully_managed: 0,
  work_profile: 0,
}
