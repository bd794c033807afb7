/**
 * SQL of what is learnt about devices. Writers of an organisation go one after another: each holds the
 * row of its enterprise. Then devices are locked in the order of their keys, then how many there are of
 * each kind, so that no two transactions wait for each other in a circle.
 */
import { type RawBuilder, sql } from 'kysely'
import { textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PolicyFacts, TokenFacts } from './change.ts'
import type { DeviceRow } from './record.ts'
import type { DeviceReport } from './report.ts'

export type DeviceKey = { org_id: string; id: string }
export type ReportOf = { org_id: string; report: DeviceReport }

const orgsOf = (rows: readonly { org_id: string }[]) => uuidArray(rows.map(({ org_id }) => org_id))
const idsOf = (rows: readonly { id: string }[]) => uuidArray(rows.map(({ id }) => id))
const keysOf = (rows: readonly DeviceKey[]): RawBuilder<unknown> =>
  sql`unnest(${orgsOf(rows)}::uuid[], ${idsOf(rows)}::uuid[])`

/** By their names, and of these organisations. */
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
 * The given devices, and for each report those that it may be about (`identify`): of serial numbers
 * that several have, two are enough to know so. What was found is joined: rows that are chosen by
 * `in (select … union all …)` can be missing after a wait for their lock.
 */
export async function lockDevices(
  tx: Db,
  keys: readonly DeviceKey[],
  reports: readonly ReportOf[],
): Promise<DeviceRow[]> {
  const named = reports.flatMap(({ org_id, report }) =>
    [report.name, ...report.previous_names].map((name) => ({ org_id, name })),
  )
  const told = reports.map(({ org_id, report }) => ({
    org_id,
    name: report.name,
    specific_id: report.enterprise_specific_id,
    serial_number: report.serial_number,
    brand: report.brand,
    model: report.model,
  }))
  const { rows } = await sql<DeviceRow>`
    with told as materialized (
      select t.* from json_to_recordset(${JSON.stringify(told)}::json) as t (org_id uuid,
        name text, specific_id text, serial_number text, brand text, model text)
      where not exists (
        select from mdm_devices k where k.org_id = t.org_id and k.provider_name = t.name)
    ), found as materialized (
      select g.org_id, g.id from ${keysOf(keys)} as g (org_id, id)
      union
      select k.org_id, k.id from unnest(${orgsOf(named)}::uuid[],
        ${textArray(named.map(({ name }) => name))}::text[]) as g (org_id, name)
      join mdm_devices k on k.org_id = g.org_id and k.provider_name = g.name
      union
      select s.org_id, s.id from told t cross join lateral (
        select org_id, id from mdm_devices k
        where k.org_id = t.org_id and k.enterprise_specific_id = t.specific_id
        order by k.enrolled_at desc limit 1) s
      union
      select s.org_id, s.id from told t cross join lateral (
        select org_id, id from mdm_devices k
        where k.org_id = t.org_id and k.serial_number = t.serial_number
          and k.brand is not distinct from t.brand and k.model is not distinct from t.model
        limit 2) s
    )
    select d.* from found f join mdm_devices d on d.org_id = f.org_id and d.id = f.id
    order by d.org_id, d.id for no key update of d`.execute(tx)
  return rows
}

/** Of the names of reports, those under which everything is late. */
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

/** The tokens that reports name, as far as they are of the same organisation. */
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

/** For all devices that have to comply with it: its rules are others now, whatever the time is. */
export async function markComplianceDue(db: Db, orgId: string, policyId: string): Promise<void> {
  await sql`
    update mdm_devices d set compliance_due_at = 'epoch' from (
      select org_id, id from mdm_devices
      where org_id = ${orgId} and policy_id = ${policyId} and state <> 'deleted'
        and compliance_state in ('grace_period', 'non_compliant')
      order by org_id, id for no key update
    ) g where d.org_id = g.org_id and d.id = g.id`.execute(db)
}

/** @returns those whose compliance has to be derived again, the longest due first */
export async function listComplianceDue(db: Db, now: Date, limit: number): Promise<DeviceKey[]> {
  const { rows } = await sql<DeviceKey>`
    select org_id, id from mdm_devices where compliance_due_at <= ${now}
    order by compliance_due_at limit ${limit}`.execute(db)
  return rows
}

/**
 * Names under which everything is late. The provider may list a phone that was reset for long, so they
 * are kept as long as devices that are gone are.
 */
export async function sweepFormerNames(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from mdm_former_names where (org_id, provider_name) in (
      select org_id, provider_name from mdm_former_names where created_at < ${before}
      order by created_at limit 5000)`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}
