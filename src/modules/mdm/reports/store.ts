/** SQL of the reports about all devices of an organisation. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { DeviceRow } from '../devices/record.ts'

/** A device with the names of what it refers to. */
export type ReportedDevice = DeviceRow & { group_name: string | null; policy_name: string | null }

/** All but the deleted ones, the newest enrolled first. */
export async function listReportedDevices(
  db: Db,
  orgId: string,
  before: string | undefined,
  limit: number,
): Promise<ReportedDevice[]> {
  const { rows } = await sql<ReportedDevice>`
    select d.*, g.name as group_name, p.name as policy_name
    from (
      select * from mdm_devices
      where org_id = ${orgId} and state <> 'deleted' ${olderThan(before)}
      order by id desc limit ${limit}
    ) as d
    left join mdm_groups g on g.org_id = d.org_id and g.id = d.group_id
    left join mdm_policies p on p.org_id = d.org_id and p.id = d.policy_id
    order by d.id desc`.execute(db)
  return rows
}

const olderThan = (before: string | undefined): RawBuilder<unknown> =>
  before === undefined ? sql`` : sql`and id < ${before}::uuid`
