/** SQL of the reports about the devices of an organization that are not deleted, newest enrolled first. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { DeviceRow } from '../devices/record.ts'
import type { Device } from '../devices/schema.ts'

/** The text of a page is held in memory until the reader has received it. */
const PAGE_BYTES = 524_288

/** Names of the group and the policy of a device. */
type Names = { group_name: string | null; policy_name: string | null }

export type InventoriedDevice = Names &
  Pick<
    DeviceRow,
    Exclude<keyof Device, 'non_compliance_details' | 'grace_period_expires_at' | 'deleted_at'>
  >

export type SummarizedDevice = Names &
  Pick<
    DeviceRow,
    | 'id'
    | 'name'
    | 'serial_number'
    | 'state'
    | 'management_mode'
    | 'policy_id'
    | 'compliance_state'
    | 'grace_period_expires_at'
    | 'last_report_at'
  > & {
    violations: number
    /** Each once, in byte order: `applications (com.example.till); passwordPolicies`. */
    settings_violated: string | null
    /** The stored text, ISO 8601. */
    violated_since: string | null
  }

/** @property before only devices with a smaller id; undefined starts with the newest */
export type DevicePage = { org_id: string; before: string | undefined; limit: number }

export async function listInventoriedDevices(
  db: Db,
  page: DevicePage,
): Promise<InventoriedDevice[]> {
  const { rows } = await sql<InventoriedDevice>`${withinBytes(sql`
    select d.id, d.name, d.state, d.management_mode, d.ownership_type, d.assigned_user_id,
      d.group_id, g.name as group_name, d.policy_id, p.name as policy_name, d.applied_policy_id,
      d.policy_error, d.compliance_state, d.brand, d.manufacturer, d.model, d.serial_number,
      d.os_version, d.security_patch_level, d.enrolled_at, d.last_report_at,
      d.deletion_requested_at, d.custom_attributes
    ${fromDevices(page)}`)}`.execute(db)
  return rows
}

/** Summarizes the violations in SQL, because those of one device can take a megabyte. */
export async function listSummarizedDevices(db: Db, page: DevicePage): Promise<SummarizedDevice[]> {
  const { rows } = await sql<SummarizedDevice>`${withinBytes(sql`
    select d.id, d.name, d.serial_number, d.state, d.management_mode, g.name as group_name,
      d.policy_id, p.name as policy_name, d.compliance_state, d.grace_period_expires_at,
      d.last_report_at, jsonb_array_length(d.non_compliance_details) as violations, v.*
    ${fromDevices(page)}
    left join lateral (
      select string_agg(distinct label, '; ' order by label) as settings_violated,
        min(first_seen_at collate "C") as violated_since
      from (
        select first_seen_at, (setting_name || coalesce(' (' || package_name || ')', ''))
          collate "C" as label
        from jsonb_to_recordset(d.non_compliance_details)
          as detail (setting_name text, package_name text, first_seen_at text)
      ) as violated
    ) as v on d.non_compliance_details <> '[]'`)}`.execute(db)
  return rows
}

const fromDevices = ({ org_id, before, limit }: DevicePage): RawBuilder<unknown> => sql`
  from (
    select * from mdm_devices
    where org_id = ${org_id} and state <> 'deleted'
      ${before === undefined ? sql`` : sql`and id < ${before}::uuid`}
    order by id desc limit ${limit}
  ) as d
  left join mdm_groups g on g.org_id = d.org_id and g.id = d.group_id
  left join mdm_policies p on p.org_id = d.org_id and p.id = d.policy_id`

/**
 * Returns the first rows of a page, largest id first, whose texts take up to `PAGE_BYTES` together; the
 * last row may exceed that, so that there is always one.
 *
 * @param page a query whose columns include `id`
 */
export const withinBytes = (page: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select * from (
    select page.*, sum(octet_length(page::text))
      over (order by id desc rows between unbounded preceding and 1 preceding) as bytes_before
    from (${page}) as page
  ) as measured
  where coalesce(bytes_before, 0) < ${PAGE_BYTES}
  order by id desc`
