/** Deletes the data of deleted applications, a bounded number of rows at a time. */
import { sql } from 'kysely'
import { uuidArray } from '../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { preferIndexes } from '../../platform/postgres/prefer-indexes.ts'
import { deleteEnded } from './messages/deletion.store.ts'

const ROWS_MAX = 5000
const MESSAGES_MAX = 100
/** Deleted applications examined per run, the longest deleted first. */
const APPLICATIONS_MAX = 100

/**
 * Deletes the row of the application last: once none of its data is left, and not before some minutes
 * have passed, so that no transaction that still saw the application can add more.
 *
 * @returns number of deleted rows; 0 when there is nothing to do for now
 */
export async function sweepDeletedApplications(db: Database): Promise<number> {
  const { rows } = await sql<ApplicationKey>`
    select org_id, id from applications where deleted_at is not null
    order by deleted_at limit ${APPLICATIONS_MAX}::integer`.execute(db)
  for (const key of rows) {
    const swept = (await sweepPortion(db, key)) || (await deleteApplication(db, key))
    if (swept > 0) return swept
  }
  return 0
}

type ApplicationKey = { org_id: string; id: string }

async function sweepPortion(db: Database, key: ApplicationKey): Promise<number> {
  const { org_id, id: applicationId } = key
  const stopped = await stopMessages(db, applicationId)
  let deleted = stopped.batches + (await deleteEnded(db, stopped.ids))
  deleted += await deleteSubscriptions(db, key)
  for (const table of ['push_credentials', 'push_configurations'] as const) {
    const gone = await db
      .deleteFrom(table)
      .where('org_id', '=', org_id)
      .where('application_id', '=', applicationId)
      .executeTakeFirst()
    deleted += Number(gone.numDeletedRows)
  }
  return deleted
}

/** Cancels messages and deletes their batches. Messages are locked before batches, as everywhere. */
async function stopMessages(db: Database, applicationId: string) {
  return await db.transaction().execute(async (tx) => {
    await preferIndexes(tx)
    const { rows } = await sql<{ id: string }>`
      with oldest as materialized (
        select id from push_messages where application_id = ${applicationId}
        order by id limit ${MESSAGES_MAX}::integer for update
      ), stopped as (
        update push_messages m set status = 'cancelled', expand_at = null, completed_at = now()
        from oldest o where m.id = o.id and m.completed_at is null
      )
      select id from oldest`.execute(tx)
    const ids = rows.map(({ id }) => id)
    return { ids, batches: await deleteBatches(tx, ids) }
  })
}

/** Deletes by `ctid`, because the planner would read the whole table to find the rows by key. */
async function deleteBatches(tx: Db, messageIds: readonly string[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from push_batches where ctid = any (array(
      select b.place from unnest(${uuidArray(messageIds)}::uuid[]) as m (id) cross join lateral (
        select ctid as place from push_batches
        where message_id = m.id order by provider, first_id limit ${ROWS_MAX}::integer for update
      ) b limit ${ROWS_MAX}::integer))`.execute(tx)
  return Number(numAffectedRows)
}

async function deleteSubscriptions(db: Database, { org_id, id }: ApplicationKey): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    await preferIndexes(tx)
    const { numAffectedRows = 0n } = await sql`
      delete from push_subscriptions s using (
        select org_id, application_id, id from push_subscriptions
        where org_id = ${org_id} and application_id = ${id} order by id
        limit ${ROWS_MAX}::integer for update
      ) old
      where s.org_id = old.org_id and s.application_id = old.application_id and s.id = old.id`.execute(
      tx,
    )
    return Number(numAffectedRows)
  })
}

async function deleteApplication(db: Db, { org_id, id }: ApplicationKey): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from applications a
    where a.org_id = ${org_id} and a.id = ${id} and a.deleted_at < now() - interval '10 minutes'
      and not exists (select from push_subscriptions s
        where s.org_id = a.org_id and s.application_id = a.id)
      and not exists (select from push_messages m where m.application_id = a.id)
      and not exists (select from push_credentials c where c.application_id = a.id)
      and not exists (select from push_configurations f where f.application_id = a.id)`.execute(db)
  return Number(numAffectedRows)
}
