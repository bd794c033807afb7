/**
 * SQL that locks devices and reads the facts by which they change. Writers of an organization run one
 * after another, because each holds the row of its enterprise. After it, devices are locked in the order
 * of their keys and then the device counts, so that transactions cannot deadlock.
 */
import { sql } from 'kysely'
import { textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { unnested } from '../keys.store.ts'
import type { PolicyFacts, TokenFacts } from './change-context.ts'
import type { DeviceRow } from './record.ts'
import type { DeviceReport } from './report.ts'

export type DeviceKey = { org_id: string; id: string }
export type ReportOf = { org_id: string; report: DeviceReport }

const orgsOf = (rows: readonly { org_id: string }[]) => uuidArray(rows.map(({ org_id }) => org_id))
const keysOf = (rows: readonly DeviceKey[]) => unnested(rows, 'id')

/** Locks the enterprises with these names and those of these organizations. */
export async function lockEnterprises(
  tx: Db,
  names: readonly string[],
  orgIds: readonly string[],
): Promise<{ org_id: string; name: string }[]> {
  const { rows } = await sql<{ org_id: string; name: string }>`
    select org_id, name from mdm_enterprises
    where name = any(${textArray(names)}::text[]) or org_id = any(${uuidArray(orgIds)}::uuid[])
    order by org_id for no key update`.execute(tx)
  return rows
}

/**
 * Locks the given devices and, for each report, the candidates of `identify`. Two devices with the same
 * serial number suffice to see that it is not unique. The candidates are joined, because rows selected
 * by `in (select … union all …)` can be missing after a wait for their lock.
 */
export async function lockDevices(
  tx: Db,
  keys: readonly DeviceKey[],
  reports: readonly ReportOf[],
): Promise<DeviceRow[]> {
  const named = reports.flatMap(({ org_id, report }) =>
    [report.name, ...report.previous_names].map((name) => ({ org_id, name })),
  )
  const reported = reports.map(({ org_id, report }) => ({
    org_id,
    name: report.name,
    specific_id: report.enterprise_specific_id,
    serial_number: report.serial_number,
    brand: report.brand,
    model: report.model,
  }))
  const { rows } = await sql<DeviceRow>`
    with reported as materialized (
      select r.* from json_to_recordset(${JSON.stringify(reported)}::json) as r (org_id uuid,
        name text, specific_id text, serial_number text, brand text, model text)
      where not exists (
        select from mdm_devices k where k.org_id = r.org_id and k.provider_name = r.name)
    ), found as materialized (
      select g.org_id, g.id from ${keysOf(keys)} as g (org_id, id)
      union
      select k.org_id, k.id from unnest(${orgsOf(named)}::uuid[],
        ${textArray(named.map(({ name }) => name))}::text[]) as g (org_id, name)
      join mdm_devices k on k.org_id = g.org_id and k.provider_name = g.name
      union
      select s.org_id, s.id from reported r cross join lateral (
        select org_id, id from mdm_devices k
        where k.org_id = r.org_id and k.enterprise_specific_id = r.specific_id
        order by k.enrolled_at desc limit 1) s
      union
      select s.org_id, s.id from reported r cross join lateral (
        select org_id, id from mdm_devices k
        where k.org_id = r.org_id and k.serial_number = r.serial_number
          and k.brand is not distinct from r.brand and k.model is not distinct from r.model
        limit 2) s
    )
    select d.* from found f join mdm_devices d on d.org_id = f.org_id and d.id = f.id
    order by d.org_id, d.id for no key update of d`.execute(tx)
  return rows
}

/** Returns the names of these reports that their phones no longer have. */
export async function listFormerNames(
  tx: Db,
  reports: readonly ReportOf[],
): Promise<{ org_id: string; provider_name: string }[]> {
  if (reports.length === 0) return []
  const names = textArray(reports.map(({ report }) => report.name))
  const { rows } = await sql<{ org_id: string; provider_name: string }>`
    select f.org_id, f.provider_name from mdm_former_names f
    join unnest(${orgsOf(reports)}::uuid[], ${names}::text[]) as g (org_id, name)
      on f.org_id = g.org_id and f.provider_name = g.name`.execute(tx)
  return rows
}

export type TokenOf = TokenFacts & { org_id: string; provider_name: string }

/** Returns the tokens that the reports name, limited to the organizations of the reports. */
export async function listTokens(tx: Db, reports: readonly ReportOf[]): Promise<TokenOf[]> {
  const ids = reports.flatMap(({ org_id, report: { token_id } }) =>
    token_id === null ? [] : [{ org_id, id: token_id }],
  )
  const names = reports.flatMap(({ org_id, report: { token_id, token_name } }) =>
    token_id === null && token_name !== null ? [{ org_id, name: token_name }] : [],
  )
  if (ids.length + names.length === 0) return []
  const { rows } = await sql<TokenOf>`
    select org_id, id, policy_id, management_mode, provider_name from mdm_enrollment_tokens
    where (org_id, id) in (select * from ${keysOf(ids)} as g (org_id, id))
      or (org_id, provider_name) in (select * from unnest(${orgsOf(names)}::uuid[],
        ${textArray(names.map(({ name }) => name))}::text[]) as g (org_id, name))`.execute(tx)
  return rows
}

export type GroupOf = { org_id: string; id: string; policy_id: string | null }

export async function listGroups(tx: Db, keys: readonly DeviceKey[]): Promise<GroupOf[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<GroupOf>`
    select org_id, id, policy_id from mdm_groups
    where (org_id, id) in (select * from ${keysOf(keys)} as g (org_id, id))`.execute(tx)
  return rows
}

export type PolicyOf = PolicyFacts & { org_id: string; id: string }

export async function listPolicies(tx: Db, keys: readonly DeviceKey[]): Promise<PolicyOf[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<PolicyOf>`
    select org_id, id, management_mode, provider_version,
      policy_json -> 'policyEnforcementRules' as rules
    from mdm_policies
    where (org_id, id) in (select * from ${keysOf(keys)} as g (org_id, id))`.execute(tx)
  return rows
}

/** Marks the devices whose compliance may change with the rules of their policy. */
export async function markComplianceDue(db: Db, orgId: string, policyId: string): Promise<void> {
  await sql`
    update mdm_devices d set compliance_due_at = 'epoch' from (
      select org_id, id from mdm_devices
      where org_id = ${orgId} and policy_id = ${policyId} and state <> 'deleted'
        and compliance_state in ('grace_period', 'non_compliant')
      order by org_id, id for no key update
    ) g where d.org_id = g.org_id and d.id = g.id`.execute(db)
}

/** @returns devices whose compliance has to be derived again, longest due first */
export async function listComplianceDue(db: Db, now: Date, limit: number): Promise<DeviceKey[]> {
  const { rows } = await sql<DeviceKey>`
    select org_id, id from mdm_devices where compliance_due_at <= ${now}
    order by compliance_due_at limit ${limit}`.execute(db)
  return rows
}

/**
 * Deletes former names of phones. The provider may go on listing a phone long after its reset, so they
 * are retained as long as deleted devices.
 */
export async function sweepFormerNames(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from mdm_former_names where (org_id, provider_name) in (
      select org_id, provider_name from mdm_former_names where created_at < ${before}
      order by created_at limit 5000)`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}
