/** SQL of the policies and their versions. */
import { type RawBuilder, sql } from 'kysely'
import { counted } from '../../../platform/postgres/counted.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PolicyRow } from './record.ts'

/** Newest first. */
export async function listPolicies(db: Db, orgId: string): Promise<PolicyRow[]> {
  const { rows } = await sql<PolicyRow>`
    select * from mdm_policies where org_id = ${orgId} order by id desc`.execute(db)
  return rows
}

export async function listPolicyIds(db: Db, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from mdm_policies where org_id = ${orgId}`.execute(db)
  return rows.map(({ id }) => id)
}

const reading =
  (lock: RawBuilder<unknown>) =>
  async (db: Db, orgId: string, id: string): Promise<PolicyRow | undefined> => {
    const { rows } = await sql<PolicyRow>`
      select * from mdm_policies where org_id = ${orgId} and id = ${id} ${lock}`.execute(db)
    return rows[0]
  }

export const findPolicy = reading(sql``)
/** For transactions that add a reference to the policy: it cannot change until they end. */
export const sharePolicy = reading(sql`for share`)
/** For transactions that change the policy: no reference to it can be added until they end. */
export const lockPolicy = reading(sql`for update`)

/**
 * For transactions that add or enlarge a policy, which take this lock first: they run one at a time for
 * an organization, so that the limits hold.
 */
export async function lockPolicies(tx: Db, orgId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`mdm_policies:${orgId}`}, 0))`.execute(tx)
}

/**
 * Sizes of `policy_json` in bytes, as PostgreSQL formats it: of all policies of the organization after
 * the change, and of the changed policy before and after.
 */
export type PolicySizes = { all: number; before: number; after: number }

export async function measurePolicies(
  tx: Db,
  { org_id, id, policy_json }: Pick<PolicyRow, 'org_id' | 'id' | 'policy_json'>,
): Promise<PolicySizes> {
  const { rows } = await sql<PolicySizes>`
    select coalesce(sum(policies.bytes) filter (where id <> ${id}), 0)::bigint + changed.bytes as all,
      coalesce(sum(policies.bytes) filter (where id = ${id}), 0)::bigint as before, changed.bytes as after
    from (select octet_length(${JSON.stringify(policy_json)}::jsonb::text) as bytes) as changed
    left join (
      select id, octet_length(policy_json::text) as bytes from mdm_policies
      where org_id = ${org_id}
    ) as policies on true
    group by changed.bytes`.execute(tx)
  return rows[0] ?? { all: 0, before: 0, after: 0 }
}

/** @returns false when the organization has reached its limit of policies */
export async function insertPolicy(tx: Db, row: PolicyRow, policiesMax: number): Promise<boolean> {
  const { org_id, id, name, description, management_mode, policy_json, version } = row
  const { numAffectedRows } = await sql`
    ${counted(sql`mdm_policies where org_id = ${org_id}`)}
    insert into mdm_policies (org_id, id, name, description, management_mode, policy_json, version,
      created_at, updated_at)
    select ${org_id}::uuid, ${id}::uuid, ${name}, ${description}, ${management_mode},
      ${JSON.stringify(policy_json)}::jsonb, ${version}::integer,
      ${row.created_at}::timestamptz, ${row.updated_at}::timestamptz
    from counted where total < ${policiesMax}::integer`.execute(tx)
  return numAffectedRows === 1n
}

export async function updatePolicy(tx: Db, row: PolicyRow): Promise<void> {
  const { org_id, id, name, description, management_mode, policy_json, version } = row
  await sql`
    update mdm_policies set name = ${name}, description = ${description},
      management_mode = ${management_mode}, policy_json = ${JSON.stringify(policy_json)}::jsonb,
      version = ${version}, publish_error = ${row.publish_error}, updated_at = ${row.updated_at}
    where org_id = ${org_id} and id = ${id}`.execute(tx)
}

const VERSIONS_MAX = 100

/** Deletes the oldest version when there are too many. */
export async function insertVersion(
  tx: Db,
  row: PolicyRow,
  createdBy: string | null,
): Promise<void> {
  const { org_id, id, version, policy_json, updated_at } = row
  await sql`
    insert into mdm_policy_versions (org_id, policy_id, version, policy_json, created_by, created_at)
    values (${org_id}, ${id}, ${version}, ${JSON.stringify(policy_json)}::jsonb, ${createdBy},
      ${updated_at})`.execute(tx)
  await sql`
    delete from mdm_policy_versions where org_id = ${org_id} and policy_id = ${id}
      and version <= ${version - VERSIONS_MAX}`.execute(tx)
}

/** Whether tokens, groups or devices use it. Deleted devices count, because they may come back. */
export async function isPolicyUsed(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rows } = await sql<{ is_used: boolean }>`
    select exists (select from mdm_enrollment_tokens where org_id = ${orgId} and policy_id = ${id})
      or exists (select from mdm_groups where org_id = ${orgId} and policy_id = ${id})
      or exists (select from mdm_devices where org_id = ${orgId}
        and (policy_id = ${id} or enrolled_policy_id = ${id})) as is_used`.execute(tx)
  return rows[0]?.is_used ?? false
}

type Publication = { org_id: string; policy_id: string; version: number; provider_version: number }

/** @returns false when this version or a newer one was already published */
export async function markPublished(
  tx: Db,
  { org_id, policy_id, version, provider_version }: Publication,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mdm_policies set published_version = ${version}, provider_version = ${provider_version},
      publish_error = case when version = ${version} then null else publish_error end
    where org_id = ${org_id} and id = ${policy_id}
      and (published_version is null or published_version < ${version})`.execute(tx)
  return numAffectedRows === 1n
}

/** Stores why the provider rejected the newest version. */
export async function markRejected(
  tx: Db,
  orgId: string,
  id: string,
  error: string,
): Promise<void> {
  await sql`
    update mdm_policies set publish_error = ${error}
    where org_id = ${orgId} and id = ${id}`.execute(tx)
}

/** Deletes the dispatch of a policy that was published in the meantime, unless it is in progress. */
export async function deleteWaitingPublication(tx: Db, orgId: string, id: string): Promise<void> {
  await sql`
    delete from mdm_dispatches where org_id = ${orgId} and kind = 'publish_policy'
      and subject_id = ${id} and lease_id is null`.execute(tx)
}
