/** Compares what the providers accepted and clients were answered with the messages and recipients stored. */
import { sql } from 'kysely'
import { recipientIdOf } from '../../src/modules/push/recipient-id.ts'
import type { RecipientStatus } from '../../src/modules/push/tables.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { withDatabase } from './books.ts'
import type { PushRequests, RequestedMessage } from './push-load.ts'
import type { PushSetup } from './push-setup.ts'
import type { Witness } from './push-witness.ts'

export type PushAudit = {
  /** Idempotency keys without exactly one message, and messages that no client was answered with. */
  wrong_messages: string[]
  /** Messages that have not ended, or whose status or counts do not match their recipients. */
  wrong_counts: string[]
  /** `message subscription` of recipients that are missing or were not requested. */
  wrong_recipients: string[]
  /** Recipients with an unexpected outcome. */
  unsent: string[]
  /** Recorded as accepted, but not by the provider. */
  unproven: string[]
  /** Accepted by the provider, but not recorded. */
  unrecorded: string[]
  /** Sent again after the acceptance was recorded. */
  repeated_after_record: string[]
  /** Sent more often than processes were killed with an unrecorded acceptance. */
  repeated_too_often: string[]
  /** Sent before the scheduled time. */
  sent_early: string[]
  /** Subscriptions of removed apps that are not invalidated, and others that are. */
  wrong_subscriptions: string[]
}

export type PushCounts = {
  messages: number
  notifications: number
  /** Acceptances beyond the first. */
  repeated: number
  /** Recipients with an attempt whose answer was lost, other than by a killed process. */
  unsure: number
}

export type PushEvidence = {
  setup: PushSetup
  requests: PushRequests
  witness: Witness
  /** Number of acceptances by the providers, by recipient id. */
  accepted: ReadonlyMap<string, number>
}

type Recipient = {
  message_id: string
  subscription_id: string
  status: RecipientStatus
  reason: string | null
  is_unsure: boolean
  /** Settled before the scheduled time. */
  is_early: boolean
  recipient_id: string
}

export async function readPushAudit(
  dataDir: string,
  evidence: PushEvidence,
): Promise<{ audit: PushAudit; counts: PushCounts }> {
  return await withDatabase(dataDir, async (db) => {
    const messages = await readMessageIds(db)
    const recipients = await readRecipients(db)
    const { accepted, setup } = evidence
    const repeated = [...accepted.values()].reduce((sum, count) => sum + count - 1, 0)
    return {
      audit: {
        wrong_messages: wrongMessages(messages, evidence.requests),
        wrong_counts: await readWrongCounts(db),
        wrong_recipients: wrongRecipients(recipients, evidence, await readUsers(db)),
        unsent: unsent(recipients, setup),
        ...compare(recipients, evidence),
        sent_early: recipients.flatMap(({ is_early, recipient_id }) =>
          is_early ? [recipient_id] : [],
        ),
        wrong_subscriptions: await readWrongSubscriptions(db, setup),
      },
      counts: {
        messages: messages.length,
        notifications: recipients.length,
        repeated,
        unsure: recipients.filter(({ is_unsure }) => is_unsure).length,
      },
    }
  })
}

/** Whether all messages have ended. May be called while the service is running. */
export const isAllPushed = async (dataDir: string): Promise<boolean> =>
  await withDatabase(dataDir, async (db) => {
    const { rows } = await sql`
      select from push_messages where completed_at is null limit 1`.execute(db)
    return rows.length === 0
  })

async function readMessageIds(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from push_messages`.execute(db)
  return rows.map(({ id }) => id)
}

async function readRecipients(db: Database): Promise<Recipient[]> {
  const { rows } = await sql<Omit<Recipient, 'recipient_id'>>`
    select message_id, subscription_id, r.status, reason, is_unsure,
      settled_at < send_at as is_early
    from push_recipients r join push_messages m on m.id = message_id`.execute(db)
  return rows.map((row) => ({
    ...row,
    recipient_id: recipientIdOf(row.message_id, row.subscription_id),
  }))
}

function wrongMessages(messages: readonly string[], { sent, answered }: PushRequests): string[] {
  const known = new Set(messages)
  const wrong = [...sent.keys()].filter((key) => {
    const [id, another] = answered.get(key) ?? []
    return another !== undefined || id === undefined || !known.delete(id)
  })
  return [...wrong, ...known]
}

async function readWrongCounts(db: Database): Promise<string[]> {
  const { rows } = await sql<{ finding: string }>`
    with counted as (
      select message_id, count(*) as recipients,
        count(*) filter (where status = 'accepted') as accepted,
        count(*) filter (where status = 'failed') as failed
      from push_recipients group by 1
    )
    select id || ' ' || status || ' ' || concat_ws('/', m.recipients, m.accepted, m.failed)
      || ' of ' || concat_ws('/', c.recipients, c.accepted, c.failed) as finding
    from push_messages m left join counted c on c.message_id = m.id
    where completed_at is null or expand_at is not null
      or (m.recipients, m.accepted, m.failed)
        is distinct from (coalesce(c.recipients, 0), coalesce(c.accepted, 0), coalesce(c.failed, 0))
      or m.recipients <> m.accepted + m.failed
      or status <> case when m.failed = 0 then 'sent' when m.accepted = 0 then 'failed'
        else 'partially_failed' end
    union all
    select 'leftover batch of message ' || message_id from push_batches`.execute(db)
  return rows.map(({ finding }) => finding)
}

/** Subscription ids by user. */
async function readUsers(db: Database): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ user: string; ids: string[] }>`
    select external_user_id as user, array_agg(id) as ids
    from push_subscriptions group by 1`.execute(db)
  return new Map(rows.map(({ user, ids }) => [user, ids]))
}

function wrongRecipients(
  recipients: readonly Recipient[],
  { requests, setup }: PushEvidence,
  users: ReadonlyMap<string, string[]>,
): string[] {
  const byMessage = new Map<string, Set<string>>()
  for (const { message_id, subscription_id } of recipients) {
    byMessage.set(message_id, (byMessage.get(message_id) ?? new Set()).add(subscription_id))
  }
  const removed = new Set(setup.removed)
  return [...requests.sent].flatMap(([key, { to }]) => {
    const [id = ''] = requests.answered.get(key) ?? []
    const unexpected = byMessage.get(id) ?? new Set()
    const expected = new Set(targetsOf(to, setup, users))
    // Subscriptions of removed apps may already have been invalidated.
    const missing = [...expected].filter((each) => !unexpected.delete(each) && !removed.has(each))
    return [...missing, ...unexpected].map((subscription) => `${id} ${subscription}`)
  })
}

function targetsOf(
  to: RequestedMessage['to'],
  { healthy, removed }: PushSetup,
  users: ReadonlyMap<string, string[]>,
): string[] {
  if (to === 'all') return [...healthy, ...removed]
  if ('subscription_ids' in to) return to.subscription_ids
  return to.external_user_ids.flatMap((user) => users.get(user) ?? [])
}

function unsent(recipients: readonly Recipient[], setup: PushSetup): string[] {
  const removed = new Set(setup.removed)
  return recipients.flatMap(({ message_id, subscription_id, status, reason }) => {
    const isRight = removed.has(subscription_id)
      ? status === 'failed' && /^(?:unregistered|unreachable)$/i.test(reason ?? '')
      : status === 'accepted'
    return isRight ? [] : [`${message_id} ${subscription_id} ${status} ${reason}`]
  })
}

function compare(
  recipients: readonly Recipient[],
  { accepted, witness }: PushEvidence,
): Pick<PushAudit, 'unproven' | 'unrecorded' | 'repeated_after_record' | 'repeated_too_often'> {
  const unrecorded = new Map(accepted)
  const unproven: string[] = []
  const unsure = new Set<string>()
  for (const { recipient_id, status, is_unsure } of recipients) {
    if (is_unsure) unsure.add(recipient_id)
    if (status === 'accepted' && !unrecorded.delete(recipient_id)) unproven.push(recipient_id)
  }
  const tooOften = [...accepted].filter(
    ([id, count]) => count > witness.allowance(id) + Number(unsure.has(id)),
  )
  return {
    unproven,
    unrecorded: [...unrecorded.keys()],
    repeated_after_record: witness.repeatedAfterRecord(accepted),
    repeated_too_often: tooOften.map(([id, count]) => `${id} ${count}`),
  }
}

async function readWrongSubscriptions(db: Database, setup: PushSetup): Promise<string[]> {
  const { rows } = await sql<{ id: string; invalid_reason: string | null }>`
    select id, lower(invalid_reason) as invalid_reason from push_subscriptions`.execute(db)
  const removed = new Set(setup.removed)
  return rows.flatMap(({ id, invalid_reason }) =>
    invalid_reason === (removed.has(id) ? 'unregistered' : null) ? [] : [`${id} ${invalid_reason}`],
  )
}
