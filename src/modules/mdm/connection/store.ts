/** SQL of the connection to Google, and of the figures that `vigil mdm status` prints about it. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { DispatchKind, MdmTables } from '../tables.ts'

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

/** @returns whether a connection was stored */
export async function deleteConnection(db: Db): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('mdm_connection').executeTakeFirst()
  return numDeletedRows > 0n
}

export type ForeignEnterprises = { project_id: string; enterprises: number }

/** Enterprises of other projects, which the account of this project cannot manage. */
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
 * Deletes the enterprises of other projects with the records that mean nothing without them. Policies
 * and groups stay, because customers wrote them: the next enterprise gets them. The audit log stays too.
 */
export async function deleteForeignEnterprises(tx: Db, projectId: string): Promise<void> {
  const { rows } = await sql<{ org_id: string }>`
    delete from mdm_enterprises where project_id <> ${projectId} returning org_id`.execute(tx)
  const orgs = rows.map(({ org_id }) => org_id)
  if (orgs.length === 0) return
  const TABLES = [
    'mdm_dispatches',
    'mdm_commands',
    'mdm_group_commands',
    'mdm_devices',
    'mdm_enrollment_tokens',
    'mdm_signups',
  ] as const
  for (const table of TABLES) {
    await tx.deleteFrom(table).where('org_id', 'in', orgs).execute()
  }
  await sql`
    update mdm_policies
    set published_version = null, provider_version = null, publish_error = null
    where org_id = any(${orgs}::uuid[])`.execute(tx)
}

export type Backlog = { kind: DispatchKind; waiting: number; failing: number; oldest_at: Date }

export type FleetStatus = {
  enterprises: number
  devices: number
  last_notification_at: Date | null
  backlog: Backlog[]
  pauses: { class: string; paused_until: Date }[]
}

/** Reads the fleet, the backlog and the paused requests of all organizations together. */
export async function readFleetStatus({
  directory,
  db,
}: {
  directory: Db
  db: Db
}): Promise<FleetStatus> {
  const { rows } = await sql<Pick<FleetStatus, 'enterprises' | 'devices' | 'last_notification_at'>>`
    select (select count(*) from mdm_enterprises) as enterprises,
      (select coalesce(sum(devices), 0)::bigint from mdm_device_counts where state <> 'deleted')
        as devices,
      (select max(received_at) from mdm_notifications) as last_notification_at`.execute(db)
  const backlog = await sql<Backlog>`
    select kind, count(*) as waiting, count(*) filter (where attempts > 1) as failing,
      min(created_at) as oldest_at
    from mdm_dispatches group by kind order by kind`.execute(db)
  const pauses = await sql<FleetStatus['pauses'][number]>`
    select class, paused_until from mdm_request_pauses
    where paused_until > clock_timestamp() order by class`.execute(directory)
  const [counts = { enterprises: 0, devices: 0, last_notification_at: null }] = rows
  return { ...counts, backlog: backlog.rows, pauses: pauses.rows }
}
