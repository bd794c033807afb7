/** Compares what the receivers of notifications got with the causes, and with the messages in the database. */
import { sql } from 'kysely'
import type { Item } from '../../src/modules/notifications/tables.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { withDatabase } from './books.ts'
import type { CrashChannel, NotificationReceivers } from './notification-channels.ts'
import type { Causes } from './notification-load.ts'

type Evidence = {
  channels: readonly CrashChannel[]
  causes: Causes
  receivers: Pick<NotificationReceivers, 'webhooks' | 'mails'>
  /** Times at which the service had been killed and had not started again. */
  kills: readonly number[]
}

export type NotificationAudit = {
  /** Acknowledged causes without a notification. */
  unreported: string[]
  /** `channel cause` without an answered message to the channel: what the service got no answer to, it sends again. */
  missing: string[]
  /** Received ids that are not those of messages to this channel. */
  unknown: string[]
  /** Received ids with an invalid signature. */
  unsigned: string[]
  /** Received ids with a repetition that differs from what was received first. */
  changed: string[]
  /** `channel notification step` that arrived under two ids. */
  doubled: string[]
  /** Ids of messages that the database does not call accepted. */
  unsettled: string[]
}

export type NotificationCounts = { messages: number; repeated: number }

type Arrival = {
  channel: CrashChannel
  id: string
  at: number
  is_signed: boolean
  /** The same in all repetitions. */
  content: string
}
type Message = { channel_id: string; id: string; items: Item[]; is_settled: boolean }
type Cause = { name: string; notification_id: string | null; step: Item['step'] }

export const readNotificationAudit = async (
  dataDir: string,
  evidence: Evidence,
): Promise<{ audit: NotificationAudit; counts: NotificationCounts }> =>
  await withDatabase(dataDir, (db) => compare(db, evidence))

async function compare(db: Database, { channels, causes, receivers, kills }: Evidence) {
  const messages = await readMessages(db)
  const known = new Map(messages.map((one) => [`${one.channel_id} ${one.id}`, one]))
  const arrivals = channels.flatMap((channel) => arrivalsAt(channel, receivers))
  const first = new Map<string, Arrival>()
  const unknown: string[] = []
  const changed: string[] = []
  /** Which message notified a channel of a step of a notification. */
  const notified = new Map<string, string>()
  const doubled: string[] = []
  const answered = new Set<string>()
  for (const arrival of arrivals) {
    const { channel, id, content } = arrival
    const message = known.get(`${channel.id} ${id}`)
    if (!message) unknown.push(`${channel.name} ${id}`)
    const before = first.get(`${channel.id} ${id}`)
    if (before && before.content !== content) changed.push(`${channel.name} ${id}`)
    first.set(`${channel.id} ${id}`, before ?? arrival)
    for (const { notification_id, step } of message ? itemsOf(arrival, message) : []) {
      const key = `${channel.name} ${notification_id} ${step}`
      if ((notified.get(key) ?? id) !== id) doubled.push(key)
      notified.set(key, id)
      if (!isUnanswered(arrival, kills)) answered.add(key)
    }
  }
  const all = await readCauses(db, causes)
  const missing = channels.flatMap((channel) =>
    all
      .filter((one) => !answered.has(`${channel.name} ${one.notification_id} ${one.step}`))
      .map(({ name }) => `${channel.name} ${name}`),
  )
  const audit: NotificationAudit = {
    unreported: all.filter((one) => one.notification_id === null).map(({ name }) => name),
    missing,
    unknown,
    unsigned: arrivals.filter((one) => !one.is_signed).map(({ id }) => id),
    changed,
    doubled,
    unsettled: messages.filter((one) => !one.is_settled).map(({ id }) => id),
  }
  return { audit, counts: { messages: first.size, repeated: arrivals.length - first.size } }
}

async function readMessages(db: Database): Promise<Message[]> {
  const { rows } = await sql<Message>`
    select channel_id, id, items,
      (status = 'succeeded' and due_at is null and lease_id is null and error is null) as is_settled
    from notification_messages`.execute(db)
  return rows
}

/** The notification of each acknowledged cause, null without one. */
async function readCauses(db: Database, { rolls, deleted }: Causes): Promise<Cause[]> {
  const { rows } = await sql<Cause>`
    select 'roll ' || r.from || ' ' || r.to as name, n.id as notification_id, 'started' as step
    from json_to_recordset(${JSON.stringify(rolls)}::json) as r ("from" text, "to" text)
    left join audit_log a on a.action = 'key.rolled' and a.target = r.from
      and right(a.details ->> 'replaced_by', 4) = r.to
    left join notifications n on n.subject = 'key_rolled' and n.org_id = a.org_id
      and n.key = a.id::text
    union all
    select 'deletion ' || d.id, n.id, 'resolved'
    from json_array_elements_text(${JSON.stringify(deleted)}::json) as d (id)
    left join notifications n on n.subject = 'log_alert' and n.key = d.id
      and n.resolved_at is not null`.execute(db)
  return rows
}

function arrivalsAt(channel: CrashChannel, { webhooks, mails }: Evidence['receivers']): Arrival[] {
  if (channel.kind === 'webhook') {
    return webhooks
      .filter(({ path }) => path === channel.name)
      .map(({ delivery, received_at, signature, body }) => ({
        channel,
        at: Date.parse(received_at),
        id: delivery ?? 'without an id',
        is_signed: signature === 'valid',
        content: body,
      }))
  }
  return mails
    .filter(({ to }) => to.includes(channel.name))
    .map(({ message_id, received_at, subject }) => ({
      channel,
      at: Date.parse(received_at),
      id: /^<([^@]+)@/.exec(message_id ?? '')?.[1] ?? 'without an id',
      is_signed: true,
      content: subject ?? '',
    }))
}

/** Whether the answer was due only when the service that waited for it had been killed. */
const isUnanswered = ({ at, channel }: Arrival, kills: readonly number[]): boolean =>
  kills.some((killed) => at < killed && at + channel.latency_ms > killed + TIMER_MS)

/** Timers and clocks are at most this far from each other. */
const TIMER_MS = 20

/** A mail names the first notifications only, so those of the message with its id are meant. */
function itemsOf({ channel, content }: Arrival, { items }: Message): Pick<Item, ItemKey>[] {
  if (channel.kind === 'email') return items
  return (JSON.parse(content) as { data: { notifications: Item[] } }).data.notifications
}
type ItemKey = 'notification_id' | 'step'

/** Ends the leases of the killed service. Only while no service runs. */
export const endLeases = async (dataDir: string): Promise<void> =>
  await withDatabase(dataDir, async (db) => {
    await sql`
      update notification_messages set leased_until = now() where lease_id is not null`.execute(db)
  })

/**
 * Ends the minute for which messages wait for others, so that there are many messages in a short time. Messages that the
 * service has locked are skipped: waiting for several of them could be a deadlock.
 */
export const endHolds = async (dataDir: string): Promise<void> =>
  await withDatabase(dataDir, async (db) => {
    await sql`
      update notification_messages set due_at = now() where (org_id, id) in (
        select org_id, id from notification_messages
        where due_at > now() and hold is not null and attempts = 0
        for update skip locked)`.execute(db)
  })

/** Whether every cause is notified, and every message accepted. */
export const isAllNotified = async (dataDir: string): Promise<boolean> =>
  await withDatabase(dataDir, async (db) => {
    const { rows } = await sql`
      select from notification_messages where due_at is not null
      union all select from notifications where due_at <= now()
      union all select from audit_log a where a.action = 'key.rolled' and not exists (
        select from notifications n where n.subject = 'key_rolled' and n.key = a.id::text)
      limit 1`.execute(db)
    return rows.length === 0
  })
