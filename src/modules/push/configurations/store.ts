/** SQL of push configurations. */
import { sql } from 'kysely'
import { isUuid } from '../../../platform/ids.ts'
import type { Mode } from '../../../platform/owner.ts'
import { counted } from '../../../platform/postgres/counted.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Configuration } from './schema.ts'

const COLUMNS = sql`f.application_id, f.org_id, f.id, f.android_package_name, f.ios_bundle_id,
  f.created_at, f.updated_at`

/**
 * Keeps the id of an existing one. Concurrent calls for an application run one at a time, because the table
 * has a second unique index for the previous version, at which `on conflict` does not wait.
 * @returns undefined if it belongs to another organization
 */
export async function upsertConfiguration(tx: Db, row: Omit<Configuration, 'updated_at'>) {
  const lock = `push_configurations:${row.application_id}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx)
  const { rows } = await sql<Configuration>`
    ${counted(sql`push_configurations
      where application_id = ${row.application_id} and org_id <> ${row.org_id}`)}
    insert into push_configurations as f (application_id, org_id, id, android_package_name,
      ios_bundle_id, created_at, updated_at)
    select ${row.application_id}::uuid, ${row.org_id}::uuid, ${row.id}::uuid,
      ${row.android_package_name}, ${row.ios_bundle_id}, ${row.created_at}::timestamptz,
      ${row.created_at}::timestamptz
    from counted where total = 0
    on conflict (org_id, application_id) do update set
      android_package_name = excluded.android_package_name,
      ios_bundle_id = excluded.ios_bundle_id, updated_at = excluded.updated_at
    returning ${COLUMNS}`.execute(tx)
  return rows[0]
}

export async function findConfiguration(db: Db, orgId: string, applicationId: string) {
  const { rows } = await sql<Configuration>`
    select ${COLUMNS} from push_configurations f
    where f.application_id = ${applicationId} and f.org_id = ${orgId}`.execute(db)
  return rows[0]
}

/** Like {@link findConfiguration}, and locks the row until the end of the transaction. */
export async function lockConfiguration(tx: Db, orgId: string, applicationId: string) {
  const { rows } = await sql<Configuration>`
    select ${COLUMNS} from push_configurations f
    where f.application_id = ${applicationId} and f.org_id = ${orgId} for update`.execute(tx)
  return rows[0]
}

/** Application with its push configuration, whose id and names are null when push is not configured. */
export type PushApplication = {
  application_id: string
  org_id: string
  environment: Mode
  push_configuration_id: string | null
  android_package_name: string | null
  ios_bundle_id: string | null
}

/** Finds an application by its own id or by that of its configuration; neither needs to be a UUID. */
export async function findPushApplication(
  db: Db,
  orgId: string,
  by: { application_id?: string | undefined; push_configuration_id?: string | undefined },
): Promise<PushApplication | undefined> {
  const { application_id, push_configuration_id: configurationId } = by
  const id = application_id ?? configurationId
  if (id === undefined || !isUuid(id) || !isUuid(orgId)) return undefined
  const column = application_id === undefined ? sql`f.id` : sql`a.id`
  const { rows } = await sql<PushApplication>`
    select a.id as application_id, a.org_id, a.environment, f.id as push_configuration_id,
      f.android_package_name, f.ios_bundle_id
    from applications a left join push_configurations f on f.application_id = a.id
    where ${column} = ${id} and a.org_id = ${orgId} and a.deleted_at is null`.execute(db)
  return rows[0]
}
