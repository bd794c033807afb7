/** Adds subscriptions of an application, and reads messages, recipients and batches. */
import { type Selectable, sql } from 'kysely'
import type { PushProvider, PushTables } from '../../src/modules/push/tables.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import type { TestApplication } from './push-fixtures.ts'

type SubscriptionOptions = {
  provider?: PushProvider
  user?: string
  permission?: 'granted' | 'denied' | 'provisional'
  is_invalid?: boolean
}

/** @returns their ids, sorted */
export async function addSubscriptions(
  db: Db,
  { org_id, application_id }: Pick<TestApplication, 'org_id' | 'application_id'>,
  count: number,
  { provider = 'fcm', user, permission = 'granted', is_invalid = false }: SubscriptionOptions = {},
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
      token_registered_at, external_user_id, permission, invalidated_at, invalid_reason, created_at,
      updated_at)
    select ${application_id}, gen_random_uuid(), ${org_id}, ${provider}, 'token-' || n,
      gen_random_uuid(), now(), ${user ?? null}, ${permission},
      case when ${is_invalid}::boolean then now() end,
      case when ${is_invalid}::boolean then 'UNREGISTERED' end, now(), now()
    from generate_series(1, ${count}::integer) n returning id`.execute(db)
  return rows.map(({ id }) => id).toSorted()
}

export const messageOf = async (
  db: Db,
  id: string,
): Promise<Selectable<PushTables['push_messages']>> =>
  await db.selectFrom('push_messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const recipientsOf = async (
  db: Db,
  messageId: string,
): Promise<Selectable<PushTables['push_recipients']>[]> =>
  await db
    .selectFrom('push_recipients')
    .selectAll()
    .where('message_id', '=', messageId)
    .orderBy('provider', 'desc')
    .orderBy('subscription_id')
    .execute()

export const batchesOf = async (
  db: Db,
  messageId: string,
): Promise<Selectable<PushTables['push_batches']>[]> =>
  await db
    .selectFrom('push_batches')
    .selectAll()
    .where('message_id', '=', messageId)
    .orderBy('provider', 'desc')
    .orderBy('first_id')
    .execute()

/** Gives all pending recipients this outcome. */
export async function settleAll(
  db: Db,
  messageId: string,
  status: 'accepted' | 'failed',
): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update push_recipients set status = ${status}, settled_at = now()
    where message_id = ${messageId} and status = 'pending'`.execute(db)
  await sql`
    update push_messages set ${sql.ref(status)} = ${sql.ref(status)} + ${numAffectedRows}
    where id = ${messageId}`.execute(db)
  await sql`delete from push_batches where message_id = ${messageId}`.execute(db)
}
