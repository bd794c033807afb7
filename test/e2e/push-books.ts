/** Holds what the providers accepted and clients were told against messages and recipients. */
import { sql } from 'kysely'
import { recipientIdOf } from '../../src/modules/push/recipient-id.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import type { RecipientStatus } from '../../src/platform/postgres/tables/push.ts'
import { withDatabase } from './books.ts'
import type { AskedMessage, PushLedger } from './push-load.ts'
import type { PushSetup } from './push-setup.ts'
import type { Witness } from './push-witness.ts'

export type PushBooks = {
  /** Keys without exactly one message, and messages that nobody was told of. */
  wrong_messages: string[]
  /** Sentences about messages that have not ended, or whose status or counts are not those of their rows. */
  wrong_counts: string[]
  /** `message subscription` of recipients that are missing, or that were not asked for. */
  wrong_recipients: string[]
  /** Recipients that should have been accepted, by what became of them. */
  unsent: string[]
  /** Recorded as accepted, and no provider knows of it; and the other way round. */
  unproven: string[]
  unrecorded: string[]
  /** Came again after it was recorded; came more often than somebody died with it; came too early. */
  came_after_record: string[]
  came_too_often: string[]
  came_early: string[]
  /** Subscriptions of removed apps that are still sent to, and others that are not. */
  wrong_subscriptions: string[]
}

export const NOTHING_WRONG: PushBooks = {
  wrong_messages: [],
  wrong_counts: [],
  wrong_recipients: [],
  unsent: [],
  unproven: [],
  unrecorded: [],
  came_after_record: [],
  came_too_often: [],
  came_early: [],
  wrong_subscriptions: [],
}

export type PushCounts = {
  messages: number
  notifications: number
  /** Accepted once more. */
  repeated: number
  /** Attempts of which nobody learnt what became of them, not because somebody died. */
  unsure: number
}

export type Testimony = {
  setup: PushSetup
  ledger: PushLedger
  witness: Witness
  /** By the id of the recipient. */
  accepted: ReadonlyMap<string, number>
}

type Recipient = {
  message_id: string
  subscription_id: string
  status: RecipientStatus
  reason: string | null
  is_unsure: boolean
  /** Settled before its time. */
  is_early: boolean
  recipient_id: string
}

export async function readPushBooks(
  dataDir: string,
  testimony: Testimony,
): Promise<{ books: PushBooks; counts: PushCounts }> {
  return await withDatabase(dataDir, async (db) => {
    const messages = await readMessageIds(db)
    const recipients = await readRecipients(db)
    const { accepted, setup } = testimony
    const repeated = [...accepted.values()].reduce((sum, count) => sum + count - 1, 0)
    return {
      books: {
        wrong_messages: wrongMessages(messages, testimony.ledger),
        wrong_counts: await readWrongCounts(db),
        wrong_recipients: wrongRecipients(recipients, testimony, await readUsers(db)),
        unsent: unsent(recipients, setup),
        ...compare(recipients, testimony),
        came_early: recipients.flatMap(({ is_early, recipient_id }) =>
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

/** Whether nothing is left to be done. The service may be at work meanwhile. */
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

function wrongMessages(messages: readonly string[], { asked, told }: PushLedger): string[] {
  const known = new Set(messages)
  const wrong = [...asked.keys()].filter((key) => {
    const [id, another] = told.get(key) ?? []
    return another !== undefined || id === undefined || !known.delete(id)
  })
  return [...wrong, ...known]
}

async function readWrongCounts(db: Database): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`
    with counted as (
      select message_id, count(*) as recipients,
        count(*) filter (where status = 'accepted') as accepted,
        count(*) filter (where status = 'failed') as failed
      from push_recipients group by 1
    )
    select id || ' ' || status || ' ' || concat_ws('/', m.recipients, m.accepted, m.failed)
      || ' of ' || concat_ws('/', c.recipients, c.accepted, c.failed) as what
    from push_messages m left join counted c on c.message_id = m.id
    where completed_at is null or expand_at is not null
      or (m.recipients, m.accepted, m.failed)
        is distinct from (coalesce(c.recipients, 0), coalesce(c.accepted, 0), coalesce(c.failed, 0))
      or m.recipients <> m.accepted + m.failed
      or status <> case when m.failed = 0 then 'sent' when m.accepted = 0 then 'failed'
        else 'partially_failed' end
    union all
    select 'a batch is left of ' || message_id from push_batches`.execute(db)
  return rows.map(({ what }) => what)
}

/** Ids of subscriptions, by user. */
async function readUsers(db: Database): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ user: string; ids: string[] }>`
    select external_user_id as user, array_agg(id) as ids
    from push_subscriptions group by 1`.execute(db)
  return new Map(rows.map(({ user, ids }) => [user, ids]))
}

function wrongRecipients(
  recipients: readonly Recipient[],
  { ledger, setup }: Testimony,
  users: ReadonlyMap<string, string[]>,
): string[] {
  const made = new Map<string, Set<string>>()
  for (const { message_id, subscription_id } of recipients) {
    made.set(message_id, (made.get(message_id) ?? new Set()).add(subscription_id))
  }
  const removed = new Set(setup.removed)
  return [...ledger.asked].flatMap(([key, { to }]) => {
    const [id = ''] = ledger.told.get(key) ?? []
    const left = made.get(id) ?? new Set()
    const wanted = new Set(targetsOf(to, setup, users))
    // It may have been found out already that they are removed.
    const missing = [...wanted].filter((each) => !left.delete(each) && !removed.has(each))
    return [...missing, ...left].map((subscription) => `${id} ${subscription}`)
  })
}

function targetsOf(
  to: AskedMessage['to'],
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
  { accepted, witness }: Testimony,
): Pick<PushBooks, 'unproven' | 'unrecorded' | 'came_after_record' | 'came_too_often'> {
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
    came_after_record: witness.cameAfterRecord(accepted),
    came_too_often: tooOften.map(([id, count]) => `${id} ${count}`),
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
