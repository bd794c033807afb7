/** SQL of reading messages and their recipients. */
import { sql } from 'kysely'
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import { lastStatement } from '../../../../platform/postgres/dialect.ts'
import {
  type HistoryBounds,
  type HistoryPage,
  readHistoryPage,
} from '../../../../platform/postgres/history-page.ts'
import { preferIndexes } from '../../../../platform/postgres/prefer-indexes.ts'
import type { MessageStatus, PushProvider, RecipientStatus } from '../../tables.ts'
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

/** Hides messages of deleted applications, which exist until they are swept. */
const IS_SHOWN = sql`exists (select from applications a
  where a.org_id = push_messages.org_id and a.id = push_messages.application_id and a.deleted_at is null)`

export type MessageQuery = {
  application_id: string
  /** UUID of the last message on the previous page. */
  before?: string | undefined
  limit: number
}

/** Newest first. */
export async function listMessages(
  db: Db,
  orgId: string,
  { application_id, before, limit }: MessageQuery,
): Promise<ShownMessage[]> {
  const isBefore = before === undefined ? sql`true` : sql`id < ${before}::uuid`
  const { rows } = await sql<ShownMessage>`
    select ${COLUMNS} from push_messages
    where application_id = ${application_id} and org_id = ${orgId} and ${isBefore} and ${IS_SHOWN}
    order by id desc limit ${limit}`.execute(db)
  return rows
}

/** Newest first. The caller has checked that the application belongs to the organization. */
export async function listMessagePage(
  db: Db,
  applicationId: string,
  statuses: readonly MessageStatus[] | undefined,
  walk: HistoryBounds,
): Promise<HistoryPage<ShownMessage>> {
  const query = {
    table: 'push_messages' as const,
    within: sql`t.application_id = ${applicationId}`,
    columns: [...PLAIN, 'target_ids'],
    where: statuses === undefined ? sql`true` : sql`e.status = any (${[...statuses]}::text[])`,
    shown: COLUMNS,
  }
  return await readHistoryPage<ShownMessage>(db, query, walk)
}

export async function findMessage(db: Db, orgId: string, id: string) {
  const { rows } = await sql<ShownMessage>`
    select ${COLUMNS} from push_messages
    where id = ${id} and org_id = ${orgId} and ${IS_SHOWN}`.execute(db)
  return rows[0]
}

/** Most frequent first. @param recipientsMax number of failures to examine, which bounds the cost */
export async function countFailures(
  db: Db,
  orgId: string,
  messageId: string,
  recipientsMax: number,
) {
  const { rows } = await sql<FailureCount>`
    select provider, reason, count(*) as count from (
      select provider, reason from push_recipients
      where org_id = ${orgId} and message_id = ${messageId} and status = 'failed' limit ${recipientsMax}
    ) failed group by 1, 2 order by 3 desc, 1, 2`.execute(db)
  return rows
}

type RecipientRow = Omit<ShownRecipient, 'status'> & { status: RecipientStatus }

export type RecipientPlace = { provider: PushProvider; subscription_id: string }

export type RecipientQuery = {
  status?: ShownStatus | undefined
  /** `next` of the previous page. */
  after?: RecipientPlace | undefined
  limit: number
}

/** Ordered by provider, APNs first, then by the id of the subscription. */
export async function listRecipients(
  db: Database,
  orgId: string,
  message: Pick<ShownMessage, 'id' | 'application_id' | 'status'>,
  { status, after, limit }: RecipientQuery,
): Promise<ShownRecipient[]> {
  const { id, application_id } = message
  const isCanceled = message.status === 'cancelled'
  const stored = status && storedStatus(status, isCanceled)
  if (status && !stored) return []
  const hasStatus = stored === undefined ? sql`true` : sql`status = ${stored}`
  const isAfter =
    after === undefined
      ? sql`true`
      : sql`(provider, subscription_id) > (${after.provider}, ${after.subscription_id}::uuid)`
  const page = sql<RecipientRow>`
    select r.*, s.external_user_id from (
      select provider, subscription_id, status, attempts, due_at, reason, provider_id, settled_at,
        received_at, clicked_at
      from push_recipients
      where org_id = ${orgId} and message_id = ${id} and ${hasStatus} and ${isAfter}
      order by provider, subscription_id limit ${limit}
    ) r left join push_subscriptions s
      on s.org_id = ${orgId} and s.application_id = ${application_id} and s.id = r.subscription_id
    order by r.provider, r.subscription_id`
  // Prefers the index, because a plan cached while the table was small would sort a whole broadcast.
  const listed = await db.transaction().execute(async (tx) => {
    const [, { rows }] = await Promise.all([preferIndexes(tx), lastStatement(page).execute(tx)])
    return rows
  })
  if (!isCanceled) return listed
  return listed.map((row) =>
    row.status === 'pending' ? { ...row, status: 'cancelled', due_at: null } : row,
  )
}

/** @returns undefined when no recipient can have the status */
function storedStatus(status: ShownStatus, isCanceled: boolean): RecipientStatus | undefined {
  if (status === 'cancelled') return isCanceled ? 'pending' : undefined
  return status === 'pending' && isCanceled ? undefined : status
}
