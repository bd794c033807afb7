/** SQL of the connection to Google, and of what `vigil mdm` tells about it. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { DispatchKind, MdmTables } from '../../../platform/postgres/tables/mdm.ts'

export type ConnectionRow = Omit<MdmTables['mdm_connection'], 'id'>

export async function findConnection(db: Db): Promise<ConnectionRow | undefined> {
  return await db
    .selectFrom('mdm_connection')
    .select(['project_id', 'client_email', 'private_key_id', 'private_key', 'connected_at'])
    .executeTakeFirst()
}

export async function upsertConnection(db: Db, row: ConnectionRow): Promise<void> {
  await db
    .insertInto('mdm_connection')
    .values({ id: true, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

/** @returns whether there was one */
export async function deleteConnection(db: Db): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('mdm_connection').executeTakeFirst()
  return numDeletedRows > 0n
}

export type ForeignEnterprises = { project_id: string; enterprises: number }

/** Enterprises that another project has: the account of this one cannot manage them. */
export async function listForeignEnterprises(
  db: Db,
  projectId: string,
): Promise<ForeignEnterprises[]> {
  const { rows } = await sql<ForeignEnterprises>`
    select project_id, count(*) as enterprises from mdm_enterprises
    where project_id <> ${projectId} group by 1 order by 1`.execute(db)
  return rows
}

/**
 * Forgets the enterprises of other projects with everything that only the provider gave a meaning to.
 * Policies and groups stay, which customers wrote: they are published to the next enterprise. The audit
 * log stays in any case.
 */
export async function deleteForeignEnterprises(tx: Db, projectId: string): Promise<void> {
  const { rows } = await sql<{ org_id: string }>`
    delete from mdm_enterprises where project_id <> ${projectId} returning org_id`.execute(tx)
  const orgs = rows.map(({ org_id }) => org_id)
  if (orgs.length === 0) return
  const OF_ENTERPRISES = [
    'mdm_dispatches',
    'mdm_commands',
    'mdm_group_commands',
    'mdm_devices',
    'mdm_enrollment_tokens',
    'mdm_signups',
  ] as const
  for (const table of OF_ENTERPRISES) {
    await tx.deleteFrom(table).where('org_id', 'in', orgs).execute()
  }
  await sql`
    update mdm_policies
    set published_version = null, provider_version = null, publish_error = null
    where org_id = any(${orgs}::uuid[])`.execute(tx)
}

export type Backlog = { kind: DispatchKind; waiting: number; failing: number; oldest_at: Date }

export type Standing = {
  enterprises: number
  devices: number
  last_notification_at: Date | null
  backlog: Backlog[]
  pauses: { class: string; paused_until: Date }[]
}

/** What is there and what waits, of all organisations. */
export async function readStanding(db: Db): Promise<Standing> {
  const { rows } = await sql<Pick<Standing, 'enterprises' | 'devices' | 'last_notification_at'>>`
    select (select count(*) from mdm_enterprises) as enterprises,
      (select coalesce(sum(devices), 0)::bigint from mdm_device_counts where state <> 'deleted')
        as devices,
      (select max(received_at) from mdm_notifications) as last_notification_at`.execute(db)
  const backlog = await sql<Backlog>`
    select kind, count(*) as waiting, count(*) filter (where attempts > 1) as failing,
      min(created_at) as oldest_at
    from mdm_dispatches group by kind order by kind`.execute(db)
  const pauses = await sql<Standing['pauses'][number]>`
    select class, paused_until from mdm_request_pauses
    where paused_until > clock_timestamp() order by class`.execute(db)
  const [counts] = rows
  return {
    enterprises: counts?.enterprises ?? 0,
    devices: counts?.devices ?? 0,
    last_notification_at: counts?.last_notification_at ?? null,
    backlog: backlog.rows,
    pauses: pauses.rows,
  }
}
