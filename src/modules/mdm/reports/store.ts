/** SQL of the reports about all devices of an organisation: all but the deleted, the newest enrolled first. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { DeviceRow } from '../devices/record.ts'

/** Their text is held until a reader took it. */
const PAGE_BYTES = 524_288

/** The names of what a device refers to. */
type Names = { group_name: string | null; policy_name: string | null }

export type InventoriedDevice = Names &
  Pick<
    DeviceRow,
    | 'id'
    | 'name'
    | 'state'
    | 'management_mode'
    | 'ownership_type'
    | 'assigned_user_id'
    | 'group_id'
    | 'policy_id'
    | 'applied_policy_id'
    | 'policy_error'
    | 'compliance_state'
    | 'brand'
    | 'manufacturer'
    | 'model'
    | 'serial_number'
    | 'os_version'
    | 'security_patch_level'
    | 'enrolled_at'
    | 'last_report_at'
    | 'deletion_requested_at'
    | 'custom_attributes'
  >

export type JudgedDevice = Names &
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
    /** Each once, in the order of the alphabet: `applications (com.example.till); passwordPolicies`. */
    settings_violated: string | null
    /** As it was written down. */
    violated_since: string | null
  }

/** Of which devices: those with smaller ids, if told. */
export type PageOfDevices = { org_id: string; before: string | undefined; limit: number }

export async function listInventoriedDevices(
  db: Db,
  page: PageOfDevices,
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

/** Of what a device violates, which can be a megabyte, only what is told of it is read. */
export async function listJudgedDevices(db: Db, page: PageOfDevices): Promise<JudgedDevice[]> {
  const { rows } = await sql<JudgedDevice>`${withinBytes(sql`
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

const fromDevices = ({ org_id, before, limit }: PageOfDevices): RawBuilder<unknown> => sql`
  from (
    select * from mdm_devices
    where org_id = ${org_id} and state <> 'deleted'
      ${before === undefined ? sql`` : sql`and id < ${before}::uuid`}
    order by id desc limit ${limit}
  ) as d
  left join mdm_groups g on g.org_id = d.org_id and g.id = d.group_id
  left join mdm_policies p on p.org_id = d.org_id and p.id = d.policy_id`

/**
 * The first rows of a page, the largest id first, that have so many bytes together as texts; the last
 * of them may have any number.
 *
 * @param page a query; its columns, with an `id`
 */
export const withinBytes = (page: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select * from (
    select page.*, sum(octet_length(page::text))
      over (order by id desc rows between unbounded preceding and 1 preceding) as bytes_before
    from (${page}) as page
  ) as counted
  where coalesce(bytes_before, 0) < ${PAGE_BYTES}
  order by id desc`
