/**
 * SQL of applications. A deleted one is in none of the answers. Ids are as somebody gave them: by what is
 * no UUID nothing is found.
 */
import { sql } from 'kysely'
import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Application } from './schema.ts'

const COLUMNS = sql`org_id, id, type, environment, name, created_at, updated_at`

/** @returns undefined when the organisation has as many as it may have */
export async function insertApplication(
  db: Db,
  { org_id, id, type, environment, name, created_at }: Omit<Application, 'updated_at'>,
  applicationsMax: number,
): Promise<Application | undefined> {
  const { rows } = await sql<Application>`
    insert into applications (org_id, id, type, environment, name, created_at, updated_at)
    select ${org_id}::uuid, ${id}::uuid, ${type}, ${environment}, ${name},
      ${created_at}::timestamptz, ${created_at}::timestamptz
    where (select count(*) from applications
      where org_id = ${org_id} and deleted_at is null) < ${applicationsMax}::integer
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

export async function findApplication(
  db: Db,
  orgId: string,
  id: string,
): Promise<Application | undefined> {
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
 * What it was sent with goes at once, so that nothing leaves in its name any more; the rest goes with
 * the next sweeps. In a transaction.
 *
 * @returns whether it was there
 */
export async function markDeleted(tx: Db, orgId: string, id: string): Promise<boolean> {
  if (!isUuid(id) || !isUuid(orgId)) return false
  const { numAffectedRows } = await sql`
    update applications set deleted_at = now(), updated_at = now()
    where org_id = ${orgId} and id = ${id} and deleted_at is null`.execute(tx)
  if (numAffectedRows !== 1n) return false
  await tx.deleteFrom('push_credentials').where('application_id', '=', id).execute()
  return true
}
