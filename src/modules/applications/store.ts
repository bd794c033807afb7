/** SQL of applications. Ids come unchecked from requests: one that is not a UUID matches nothing. */
import { sql } from 'kysely'
import { isUuid } from '../../platform/ids.ts'
import { counted } from '../../platform/postgres/counted.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Application } from './schema.ts'

const COLUMNS = sql`org_id, id, type, environment, name, created_at, updated_at`

/** @returns undefined when the organization already has `applicationsMax` applications */
export async function insertApplication(
  db: Db,
  { org_id, id, type, environment, name, created_at }: Omit<Application, 'updated_at'>,
  applicationsMax: number,
): Promise<Application | undefined> {
  const { rows } = await sql<Application>`
    ${counted(sql`applications where org_id = ${org_id} and deleted_at is null`)}
    insert into applications (org_id, id, type, environment, name, created_at, updated_at)
    select ${org_id}::uuid, ${id}::uuid, ${type}, ${environment}, ${name},
      ${created_at}::timestamptz, ${created_at}::timestamptz
    from counted where total < ${applicationsMax}::integer
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** Newest first. */
export async function listApplications(db: Db, orgId: string): Promise<Application[]> {
  if (!isUuid(orgId)) return []
  const { rows } = await sql<Application>`
    select ${COLUMNS} from applications
    where org_id = ${orgId} and deleted_at is null order by id desc`.execute(db)
  return rows
}

export async function findApplication(db: Db, orgId: string, id: string) {
  if (!isUuid(id) || !isUuid(orgId)) return undefined
  const { rows } = await sql<Application>`
    select ${COLUMNS} from applications
    where org_id = ${orgId} and id = ${id} and deleted_at is null`.execute(db)
  return rows[0]
}

export async function updateName(
  db: Db,
  orgId: string,
  { id, name, now }: { id: string; name: string; now: Date },
): Promise<Application | undefined> {
  if (!isUuid(id) || !isUuid(orgId)) return undefined
  const { rows } = await sql<Application>`
    update applications set name = ${name}, updated_at = ${now}
    where org_id = ${orgId} and id = ${id} and deleted_at is null
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/**
 * Deletes the push credentials in the same transaction, so that nothing more can be sent for the
 * application; sweeps delete the rest of its data later.
 *
 * @returns whether the application existed
 */
export async function markDeleted(tx: Db, orgId: string, id: string): Promise<boolean> {
  if (!isUuid(id) || !isUuid(orgId)) return false
  const { numAffectedRows } = await sql`
    update applications set deleted_at = now(), updated_at = now()
    where org_id = ${orgId} and id = ${id} and deleted_at is null`.execute(tx)
  if (numAffectedRows !== 1n) return false
  await tx
    .deleteFrom('push_credentials')
    .where('org_id', '=', orgId)
    .where('application_id', '=', id)
    .execute()
  return true
}
