/** SQL that stores the outcomes of dispatches whose leases are still held. */
import { sql } from 'kysely'
import type { Db } from '../../../../platform/postgres/db.ts'
import { unnested } from '../../keys.store.ts'
import type { DispatchKind, MdmTables } from '../../tables.ts'
import type { ClaimedDispatch } from '../claim.store.ts'

export type SettledDispatch = Pick<
  ClaimedDispatch,
  'org_id' | 'kind' | 'subject_id' | 'lease_id' | 'revision' | 'attempts' | 'error'
> & {
  /** Nothing is left to do unless the subject changed in the meantime. */
  is_done: boolean
  delay_ms: number
}

type Subject = Pick<ClaimedDispatch, 'org_id' | 'subject_id'>

/** @returns the dispatches that were still leased under the given id; others are not changed */
export async function settleDispatches(
  tx: Db,
  settled: readonly SettledDispatch[],
): Promise<(Subject & { kind: DispatchKind })[]> {
  if (settled.length === 0) return []
  const { rows } = await sql<Subject & { kind: DispatchKind }>`
    with held as materialized (
      select d.org_id, d.kind, d.subject_id, s.is_done, s.error, s.attempts,
        d.revision <> s.revision as is_changed,
        now() + case when d.revision <> s.revision then 0 else s.delay_ms end
          * interval '1 millisecond' as due_at
      from json_to_recordset(${JSON.stringify(settled)}::json) as s (
        org_id uuid, kind text, subject_id uuid, lease_id uuid, revision integer,
        attempts integer, error text, is_done boolean, delay_ms float8)
      join mdm_dispatches d on d.org_id = s.org_id and d.kind = s.kind
        and d.subject_id = s.subject_id and d.lease_id = s.lease_id
      order by 1, 2, 3 for update of d
    ), done as (
      delete from mdm_dispatches d using held h
      where d.org_id = h.org_id and d.kind = h.kind and d.subject_id = h.subject_id
        and h.is_done and not h.is_changed
    ), rescheduled as (
      update mdm_dispatches d set lease_id = null, leased_until = null,
        attempts = case when h.is_changed then 0 else h.attempts end,
        error = case when h.is_changed then null else h.error end,
        due_at = h.due_at
      from held h where d.org_id = h.org_id and d.kind = h.kind and d.subject_id = h.subject_id
        and (h.is_changed or not h.is_done)
    )
    select org_id, kind, subject_id from held`.execute(tx)
  return rows
}

export type PolicyRow = Pick<
  MdmTables['mdm_policies'],
  'org_id' | 'id' | 'version' | 'published_version' | 'provider_version' | 'publish_error'
>

/** Every transaction locks subjects before their dispatches, which prevents deadlocks. */
export async function lockPolicies(tx: Db, subjects: readonly Subject[]): Promise<PolicyRow[]> {
  const { rows } = await sql<PolicyRow>`
    select p.org_id, p.id, p.version, p.published_version, p.provider_version, p.publish_error
    from mdm_policies p join ${unnested(subjects, 'subject_id')} as g (org_id, id)
      on p.org_id = g.org_id and p.id = g.id
    order by p.org_id, p.id for no key update of p`.execute(tx)
  return rows
}

export async function updatePublished(tx: Db, rows: readonly PolicyRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update mdm_policies p set published_version = g.published_version,
      provider_version = g.provider_version, publish_error = g.publish_error
    from json_to_recordset(${JSON.stringify(rows)}::json) as g (
      org_id uuid, id uuid, published_version integer, provider_version bigint, publish_error text)
    where p.org_id = g.org_id and p.id = g.id`.execute(tx)
}

/**
 * Makes the assignments due that waited for the publication of these policies. Runs in its own
 * transaction, because it waits for claims.
 */
export async function markAssignmentsDue(
  db: Db,
  policies: readonly { org_id: string; id: string }[],
): Promise<void> {
  if (policies.length === 0) return
  await sql`
    update mdm_dispatches d set due_at = now() from (
      select w.org_id, w.kind, w.subject_id
      from ${unnested(policies, 'id')} as g (org_id, policy_id)
      join mdm_devices v on v.org_id = g.org_id and v.policy_id = g.policy_id
        and v.state <> 'deleted'
      join mdm_dispatches w
        on w.org_id = v.org_id and w.kind = 'assign_policy' and w.subject_id = v.id
      where w.lease_id is null
      order by 1, 2, 3 for update of w
    ) waiting
    where d.org_id = waiting.org_id and d.kind = waiting.kind
      and d.subject_id = waiting.subject_id`.execute(db)
}

/** Makes the dispatches due that failed while the provider was down. */
export async function markFailedDue(db: Db, kind: DispatchKind): Promise<void> {
  await sql`
    update mdm_dispatches d set due_at = now() from (
      select org_id, subject_id from mdm_dispatches
      where kind = ${kind} and attempts > 0 and error is not null and lease_id is null
        and due_at > now()
      order by org_id, subject_id for update skip locked
    ) waiting
    where d.org_id = waiting.org_id and d.kind = ${kind}
      and d.subject_id = waiting.subject_id`.execute(db)
}

export type DevicePolicyRow = Pick<
  MdmTables['mdm_devices'],
  'org_id' | 'id' | 'policy_id' | 'policy_error'
>

export async function lockDevicePolicies(
  tx: Db,
  subjects: readonly Subject[],
): Promise<DevicePolicyRow[]> {
  const { rows } = await sql<DevicePolicyRow>`
    select d.org_id, d.id, d.policy_id, d.policy_error
    from mdm_devices d join ${unnested(subjects, 'subject_id')} as g (org_id, id)
      on d.org_id = g.org_id and d.id = g.id
    order by d.org_id, d.id for no key update of d`.execute(tx)
  return rows
}

export async function updatePolicyErrors(
  tx: Db,
  rows: readonly DevicePolicyRow[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update mdm_devices d set policy_error = g.policy_error, updated_at = ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as g (
      org_id uuid, id uuid, policy_error text)
    where d.org_id = g.org_id and d.id = g.id`.execute(tx)
}
