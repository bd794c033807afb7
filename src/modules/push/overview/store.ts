/** SQL of the push queue across organizations, and of the setup and status of applications. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Platform } from '../subscriptions/schema.ts'
import { REACHABLE } from '../subscriptions/store.ts'
import type { CredentialStatus, PushProvider } from '../tables.ts'
import type { ApplicationSetup } from './schema.ts'

export type PushStatus = {
  provider: PushProvider
  /** Recipients in unfinished batches, including ones that are already settled. */
  waiting: number
  /** When the oldest unfinished batch was due; null if none is due. */
  oldest_due_at: Date | null
  needs_attention: number
  paused: number
}

export async function readPushStatus(db: Db): Promise<PushStatus[]> {
  const { rows } = await sql<PushStatus>`
    select p.provider,
      (select coalesce(sum(recipients), 0) from push_batches b where b.provider = p.provider)::bigint
        as waiting,
      (select min(due_at) from push_batches b where b.provider = p.provider and due_at <= now())
        as oldest_due_at,
      count(c.application_id) filter (where c.status = 'needs_attention') as needs_attention,
      count(c.application_id) filter (where c.paused_until > now()) as paused
    from (values ('fcm'), ('apns')) as p (provider)
    left join push_credentials c on c.provider = p.provider
    group by p.provider order by p.provider`.execute(db)
  return rows
}

type StoredSetup = Omit<ApplicationSetup, 'credentials'> & {
  credentials: { provider: PushProvider; status: CredentialStatus }[]
}

/** Newest first. */
export async function listSetups(db: Db, orgId: string): Promise<StoredSetup[]> {
  const { rows } = await sql<StoredSetup>`
    select a.id as application_id, f.android_package_name, f.ios_bundle_id,
      coalesce((select jsonb_agg(jsonb_build_object('provider', c.provider, 'status', c.status)
          order by c.provider desc)
        from push_credentials c where c.application_id = a.id), '[]'::jsonb) as credentials
    from applications a left join push_configurations f on f.application_id = a.id
    where a.org_id = ${orgId} and a.deleted_at is null order by a.id desc`.execute(db)
  return rows
}

export type ApplicationStatus = {
  /** Counts each subscription once; an invalid token takes precedence over a denied permission. */
  subscriptions: { platform: Platform; reachable: number; denied: number; invalid: number }[]
  /** Unfinished messages by status, and the number of their recipients without an outcome. */
  messages: { scheduled: number; queued: number; sending: number; pending: number }
}

export async function readApplicationStatus(
  db: Db,
  orgId: string,
  applicationId: string,
): Promise<ApplicationStatus> {
  const { rows: subscriptions } = await sql<ApplicationStatus['subscriptions'][number]>`
    select p.platform, count(*) filter (where ${REACHABLE} and s.id is not null) as reachable,
      count(*) filter (where permission = 'denied' and invalidated_at is null) as denied,
      count(*) filter (where invalidated_at is not null) as invalid
    from (values ('android', 'fcm'), ('ios', 'apns')) as p (platform, provider)
    left join push_subscriptions s on s.application_id = ${applicationId} and s.org_id = ${orgId}
      and s.provider = p.provider
    group by p.platform order by p.platform`.execute(db)
  const { rows: messages } = await sql<ApplicationStatus['messages']>`
    select count(*) filter (where status = 'scheduled') as scheduled,
      count(*) filter (where status = 'queued') as queued,
      count(*) filter (where status = 'sending') as sending,
      coalesce(sum(recipients - accepted - failed), 0)::bigint as pending
    from push_messages
    where application_id = ${applicationId} and org_id = ${orgId} and completed_at is null`.execute(
    db,
  )
  const [unfinished = { scheduled: 0, queued: 0, sending: 0, pending: 0 }] = messages
  return { subscriptions, messages: unfinished }
}
