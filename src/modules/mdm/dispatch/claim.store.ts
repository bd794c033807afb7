/**
 * SQL that leases due dispatches and reads what is to be sent in the same transaction. All times are
 * compared by the clock of the database. A leased dispatch is due again when its lease ends, so that
 * until then it sorts after everything else of its organization.
 */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { shuffled } from '../../../platform/postgres/shuffled.ts'
import type { CommandRow } from '../commands/record.ts'
import { unnested } from '../keys.store.ts'
import type { DispatchKind, MdmTables } from '../tables.ts'

export type ClaimedDispatch = Pick<
  MdmTables['mdm_dispatches'],
  'org_id' | 'kind' | 'subject_id' | 'revision' | 'attempts' | 'error'
> & { lease_id: string }

export type DispatchClaim = {
  kind: DispatchKind
  lease_id: string
  lease_ms: number
  jobs_max: number
  /** Number of jobs that this process is sending, by organization. */
  orgs_in_flight: ReadonlyMap<string, number>
}

/** Plans that were cached while the tables were empty would scan them whole. */
export async function preferIndexes(tx: Db): Promise<void> {
  await sql`set local enable_seqscan = off`.execute(tx)
}

/** The order follows the index; otherwise each poll would read the whole backlog. */
export async function listDueKinds(
  db: Db,
  kinds: readonly DispatchKind[],
): Promise<DispatchKind[]> {
  const { rows } = await sql<{ kind: DispatchKind }>`
    select k.kind from unnest(${[...kinds]}::text[]) as k (kind) cross join lateral (
      select from mdm_dispatches d where d.kind = k.kind and d.due_at <= now()
        and (d.leased_until is null or d.leased_until <= now())
      order by d.org_id, d.due_at limit 1
    ) d`.execute(db)
  return rows.map(({ kind }) => kind)
}

/**
 * Skips from organization to organization in the index and claims from each in turn: first from those
 * with the fewest jobs in flight, then what has been due for longest. The backlog of one organization
 * does not delay the others.
 */
export async function claimDispatches(tx: Db, claim: DispatchClaim): Promise<ClaimedDispatch[]> {
  const { kind, lease_id, lease_ms, jobs_max, orgs_in_flight } = claim
  const { rows } = await sql<ClaimedDispatch>`
    with recursive org (id) as (
      (select org_id from mdm_dispatches where kind = ${kind} order by org_id limit 1)
      union all
      select (select d.org_id from mdm_dispatches d
        where d.kind = ${kind} and d.org_id > o.id order by d.org_id limit 1)
      from org o where o.id is not null
    ), picked as (
      select d.org_id, d.subject_id from org o cross join lateral (
        select org_id, subject_id, row_number() over (order by due_at) as place from (
          select org_id, subject_id, due_at from mdm_dispatches
          where kind = ${kind} and org_id = o.id and due_at <= now()
            and (leased_until is null or leased_until <= now())
          order by due_at limit ${jobs_max}::integer
        ) few
      ) d left join unnest(
        ${[...orgs_in_flight.keys()]}::uuid[], ${[...orgs_in_flight.values()]}::integer[]
      ) as f (org_id, jobs) on f.org_id = d.org_id
      order by coalesce(f.jobs, 0) + d.place,
        ${shuffled(sql`d.subject_id`)} limit ${jobs_max}::integer
    ), locked as (
      select d.org_id, d.subject_id from picked p cross join lateral (
        select org_id, subject_id from mdm_dispatches
        where kind = ${kind} and org_id = p.org_id and subject_id = p.subject_id
          -- Checked again for changes by other processes. The added interval keeps the planner
          -- from using the index of due times, which contains the whole backlog.
          and due_at + interval '0' <= now() and (leased_until is null or leased_until <= now())
        for update skip locked
      ) d
    )
    update mdm_dispatches d set lease_id = ${lease_id}::uuid,
      leased_until = now() + ${lease_ms}::float8 * interval '1 millisecond',
      due_at = now() + ${lease_ms}::float8 * interval '1 millisecond'
    from locked l where d.kind = ${kind} and d.org_id = l.org_id and d.subject_id = l.subject_id
    returning d.org_id, d.kind, d.subject_id, d.revision, d.attempts, d.error,
      d.lease_id`.execute(tx)
  return rows
}

type Subject = Pick<ClaimedDispatch, 'org_id' | 'subject_id'>
const tableOf = (subjects: readonly Subject[]) =>
  sql`${unnested(subjects, 'subject_id')} as g (org_id, subject_id)`

export type PolicyToPublish = Subject & {
  version: number
  policy_json: Record<string, unknown>
  enterprise_name: string
}

/** Leaves out policies that no longer exist or whose organization has no enterprise. */
export async function listPoliciesToPublish(
  tx: Db,
  subjects: readonly Subject[],
): Promise<PolicyToPublish[]> {
  const { rows } = await sql<PolicyToPublish>`
    select p.org_id, p.id as subject_id, p.version, p.policy_json, e.name as enterprise_name
    from ${tableOf(subjects)} join mdm_policies p on p.org_id = g.org_id and p.id = g.subject_id
    join mdm_enterprises e on e.org_id = p.org_id`.execute(tx)
  return rows
}

export type DeviceToAssign = Subject & {
  device_name: string
  policy_id: string
  enterprise_name: string
  is_published: boolean
}

/** Leaves out devices without a policy, and devices that are deleted or about to be. */
export async function listDevicesToAssign(
  tx: Db,
  subjects: readonly Subject[],
): Promise<DeviceToAssign[]> {
  const { rows } = await sql<DeviceToAssign>`
    select d.org_id, d.id as subject_id, d.provider_name as device_name, d.policy_id,
      e.name as enterprise_name, p.published_version is not null as is_published
    from ${tableOf(subjects)} join mdm_devices d on d.org_id = g.org_id and d.id = g.subject_id
    join mdm_policies p on p.org_id = d.org_id and p.id = d.policy_id
    join mdm_enterprises e on e.org_id = d.org_id
    where d.state <> 'deleted' and d.deletion_requested_at is null`.execute(tx)
  return rows
}

export type DeviceToDelete = Subject & { device_name: string }

/** Leaves out a phone that was enrolled again since: its new enrollment must not be wiped. */
export async function listDevicesToDelete(
  tx: Db,
  subjects: readonly Subject[],
): Promise<DeviceToDelete[]> {
  const { rows } = await sql<DeviceToDelete>`
    select d.org_id, d.id as subject_id, d.provider_name as device_name
    from ${tableOf(subjects)} join mdm_devices d on d.org_id = g.org_id and d.id = g.subject_id
    where d.state <> 'deleted' and d.deletion_requested_at is not null`.execute(tx)
  return rows
}

export type CommandToIssue = CommandRow & {
  device_name: string
  /** The column `unsure_since` before this attempt. */
  was_unsure_since: Date | null
  is_expired: boolean
  /** Expired for an hour: the provider has ended the command by now if it ever received it. */
  is_long_expired: boolean
  remaining_s: number
}

/**
 * Marks the start of an attempt, so that the next one after a crash knows of it. Leaves out commands
 * behind an earlier command of their device, and commands that another transaction has locked: others
 * lock commands before their dispatches, so waiting for them here could deadlock.
 */
export async function beginCommands(
  tx: Db,
  subjects: readonly Subject[],
): Promise<CommandToIssue[]> {
  const { rows } = await sql<CommandToIssue>`
    with ready as (
      select c.org_id, c.id, c.unsure_since as was_unsure_since
      from ${tableOf(subjects)} join mdm_commands c on c.org_id = g.org_id and c.id = g.subject_id
      where c.status = 'queued' and not exists (
        select from mdm_commands e where e.org_id = c.org_id and e.device_id = c.device_id
          and e.id < c.id and e.status = 'queued' and e.completed_at is null
      )
      for no key update of c skip locked
    )
    update mdm_commands c set unsure_since =
      case when c.expires_at > now() then coalesce(c.unsure_since, now()) else c.unsure_since end
    from ready r, mdm_devices d
    where c.org_id = r.org_id and c.id = r.id and d.org_id = c.org_id and d.id = c.device_id
    returning c.*, d.provider_name as device_name, r.was_unsure_since,
      c.expires_at <= now() as is_expired,
      c.expires_at <= now() - interval '1 hour' as is_long_expired,
      extract(epoch from c.expires_at - now())::float8 as remaining_s`.execute(tx)
  return rows
}

/** @returns the ids of queued commands, each with whether it is behind another one of its device */
export async function listWaiting(
  tx: Db,
  subjects: readonly Subject[],
): Promise<Map<string, boolean>> {
  const { rows } = await sql<{ id: string; is_behind: boolean }>`
    select c.id, exists (
      select from mdm_commands e where e.org_id = c.org_id and e.device_id = c.device_id
        and e.id < c.id and e.status = 'queued' and e.completed_at is null
    ) as is_behind
    from ${tableOf(subjects)} join mdm_commands c
      on c.org_id = g.org_id and c.id = g.subject_id
    where c.status = 'queued'`.execute(tx)
  return new Map(rows.map(({ id, is_behind }) => [id, is_behind]))
}
