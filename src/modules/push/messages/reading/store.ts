/** SQL of what is shown of messages and of what became of them. */
import { sql } from 'kysely'
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import { lastStatement } from '../../../../platform/postgres/dialect.ts'
import { preferIndexes } from '../../../../platform/postgres/prefer-indexes.ts'
import type {
  MessageStatus,
  PushProvider,
  RecipientStatus,
} from '../../../../platform/postgres/tables/push.ts'
import { type Walk, type Walked, walkBack } from '../../../../platform/postgres/walk.ts'
import type { FailureCount, ShownMessage, ShownRecipient, ShownStatus } from './schema.ts'

const PLAIN = [
  'application_id',
  'target',
  'content',
  'status',
  'send_at',
  'targeted',
  'recipients',
  'accepted',
  'failed',
  'received',
  'clicked',
  'created_at',
  'completed_at',
]

const COLUMNS = sql`id, ${sql.join(PLAIN.map((column) => sql.ref(column)))},
  cardinality(target_ids) as targets,
  case when status <> 'cancelled' then recipients - accepted - failed else 0 end as pending,
  case when status = 'cancelled' then recipients - accepted - failed else 0 end as cancelled`

/** Those of a deleted application are there until they are swept, for nobody to see. */
const IS_SHOWN = sql`exists (select from applications a
  where a.id = push_messages.application_id and a.deleted_at is null)`

/** Newest first. @param before only those made before this one */
export async function listMessages(
  db: Db,
  orgId: string,
  { application_id, before, limit }: { application_id: string; before?: string; limit: number },
): Promise<ShownMessage[]> {
  const isBefore = before === undefined ? sql`true` : sql`id < ${before}::uuid`
  const { rows } = await sql<ShownMessage>`
    select ${COLUMNS} from push_messages
    where application_id = ${application_id} and org_id = ${orgId} and ${isBefore} and ${IS_SHOWN}
    order by id desc limit ${limit}`.execute(db)
  return rows
}

/** Newest first, in the states that are asked for. The application has to be the organisation's. */
export async function walkMessages(
  db: Db,
  applicationId: string,
  statuses: readonly MessageStatus[] | undefined,
  walk: Walk,
): Promise<Walked<ShownMessage>> {
  const query = {
    table: 'push_messages' as const,
    within: sql`t.application_id = ${applicationId}`,
    columns: [...PLAIN, 'target_ids'],
    where: statuses === undefined ? sql`true` : sql`e.status = any (${[...statuses]}::text[])`,
    shown: COLUMNS,
  }
  return await walkBack<ShownMessage>(db, query, walk)
}

export async function findMessage(
  db: Db,
  orgId: string,
  id: string,
): Promise<ShownMessage | undefined> {
  const { rows } = await sql<ShownMessage>`
    select ${COLUMNS} from push_messages
    where id = ${id} and org_id = ${orgId} and ${IS_SHOWN}`.execute(db)
  return rows[0]
}

/** Most frequent first. @param recipientsMax so many failures are looked at */
export async function countFailures(
  db: Db,
  messageId: string,
  recipientsMax: number,
): Promise<FailureCount[]> {
  const { rows } = await sql<FailureCount>`
    select provider, reason, count(*) as count from (
      select provider, reason from push_recipients
      where message_id = ${messageId} and status = 'failed' limit ${recipientsMax}
    ) failed group by 1, 2 order by 3 desc, 1, 2`.execute(db)
  return rows
}

/** As it is stored. */
type RecipientRow = Omit<ShownRecipient, 'status'> & { status: RecipientStatus }

export type RecipientPlace = { provider: PushProvider; subscription_id: string }

/** FCM after APNs, each in the order of the subscriptions' ids. */
export async function listRecipients(
  db: Database,
  message: Pick<ShownMessage, 'id' | 'application_id' | 'status'>,
  query: { status?: ShownStatus; after?: RecipientPlace; limit: number },
): Promise<ShownRecipient[]> {
  const { id, application_id } = message
  const { status, after, limit } = query
  const isCancelled = message.status === 'cancelled'
  const stored = status && storedStatus(status, isCancelled)
  if (status && !stored) return []
  const isAsked = stored === undefined ? sql`true` : sql`status = ${stored}`
  const isAfter =
    after === undefined
      ? sql`true`
      : sql`(provider, subscription_id) > (${after.provider}, ${after.subscription_id}::uuid)`
  const page = sql<RecipientRow>`
    select r.*, s.external_user_id from (
      select provider, subscription_id, status, attempts, due_at, reason, provider_id, settled_at,
        received_at, clicked_at
      from push_recipients where message_id = ${id} and ${isAsked} and ${isAfter}
      order by provider, subscription_id limit ${limit}
    ) r left join push_subscriptions s
      on s.application_id = ${application_id} and s.id = r.subscription_id
    order by r.provider, r.subscription_id`
  // In the order of the index: a plan from before there were many would sort all of a broadcast.
  const listed = await db.transaction().execute(async (tx) => {
    const [, { rows }] = await Promise.all([preferIndexes(tx), lastStatement(page).execute(tx)])
    return rows
  })
  if (!isCancelled) return listed
  return listed.map((row) =>
    row.status === 'pending' ? { ...row, status: 'cancelled', due_at: null } : row,
  )
}

/** @returns undefined where no recipient has it */
function storedStatus(status: ShownStatus, isCancelled: boolean): RecipientStatus | undefined {
  if (status === 'cancelled') return isCancelled ? 'pending' : undefined
  return status === 'pending' && isCancelled ? undefined : status
}
