/**
 * Turns due notifications into messages for channels. Reading what is due, writing its messages, and when it is
 * looked at again are one transaction, so nothing is notified twice or lost when the process dies.
 */
import type { NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { holdOf, isSingle, type Recent } from './hold.ts'
import {
  type DueNotification,
  insertMessages,
  isAnyDue,
  joinWaiting,
  listChannelsOf,
  listRoutesOf,
  lockDue,
  type NewMessage,
  type NextLook,
  type RecentOfSubject,
  type RoutedChannel,
  readRecent,
  setNextLooks,
} from './router.store.ts'
import { decide, type Telling } from './routing.ts'
import type { Item } from './tables.ts'

/** @returns whether more may be due */
export async function routeDue(db: Database, newId: NewId): Promise<boolean> {
  if (!(await isAnyDue(db))) return false
  return await db.transaction().execute(async (tx) => {
    const locked = await lockDue(tx)
    if (locked === undefined || locked.due.length === 0) return false
    const { now, id_time, due, is_more } = locked
    const orgIds = [...new Set(due.map(({ org_id }) => org_id))]
    const routes = groupedBy(await listRoutesOf(tx, orgIds), 'org_id')
    const channels = await listChannelsOf(tx, orgIds)
    const known = new Map(channels.map((channel) => [channel.id, channel]))
    const drafts = createDrafts(await readRecent(tx, channels), () => newId(id_time), now)
    const looks: NextLook[] = []
    for (const notification of due) {
      const { org_id, id } = notification
      const decision = decide(notification, routes.get(org_id) ?? [], now)
      const told = new Set(notification.told)
      for (const telling of decision.tellings) {
        const channel = known.get(telling.channel_id)
        if (channel?.org_id !== org_id) continue
        drafts.add(channel, notification, telling)
        told.add(channel.id)
      }
      looks.push({ org_id, id, due_at: decision.due_at, told: [...told] })
    }
    const messages: NewMessage[] = []
    for (const draft of drafts.all()) {
      if (draft.hold === null || !(await joinWaiting(tx, draft))) messages.push(draft)
    }
    await insertMessages(tx, messages)
    await setNextLooks(tx, looks)
    return is_more
  })
}

/** Collects messages: those about one subject to one channel are one message. */
function createDrafts(recent: readonly RecentOfSubject[], nextId: () => string, now: Date) {
  const drafts = new Map<string, NewMessage>()
  const byChannel = groupedBy(recent, 'channel_id')
  const recentOf = (channelId: string, subject: string): Recent => {
    const rows = byChannel.get(channelId) ?? []
    const created = [...drafts.values()].filter((draft) => draft.channel_id === channelId)
    const firsts = rows.flatMap(({ first_in_hour_at }) => first_in_hour_at ?? [])
    const first = firsts.toSorted((a, b) => a.getTime() - b.getTime())[0]
    return {
      same_subject_at: rows.find((row) => row.subject === subject)?.same_subject_at ?? null,
      in_hour: rows.reduce((sum, { in_hour }) => sum + in_hour, created.length),
      first_in_hour_at: first ?? (created.length > 0 ? now : null),
    }
  }
  return {
    all: () => drafts.values(),
    add: (channel: RoutedChannel, notification: DueNotification, telling: Telling) => {
      const { subject, severity } = notification
      const item = itemOf(notification, telling, now)
      const own = isSingle(channel.kind) ? `${notification.id} ${telling.step}` : ''
      const immediate = `${channel.id} ${subject} ${own}`
      const { quiet_hours } = telling
      const waiting = { recent: recentOf(channel.id, subject), now, severity, quiet_hours }
      const held = drafts.has(immediate) ? undefined : holdOf({ ...channel, ...waiting })
      const about = held === undefined || held.hold === 'grouping' ? subject : ''
      const key = held === undefined ? immediate : `${channel.id} ${held.hold} ${about} ${own}`
      const draft = drafts.get(key)
      if (draft) draft.items.push(item)
      else {
        drafts.set(key, {
          org_id: channel.org_id,
          channel_id: channel.id,
          id: nextId(),
          subject,
          step: telling.step,
          hold: held?.hold ?? null,
          due_at: held?.until ?? now,
          items: [item],
        })
      }
    },
  }
}

function groupedBy<Name extends string, T extends Record<Name, string>>(
  rows: readonly T[],
  name: Name,
): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) groups.set(row[name], [...(groups.get(row[name]) ?? []), row])
  return groups
}

function itemOf(notification: DueNotification, { step }: Telling, now: Date): Item {
  const { id, subject, severity, title, detail, link, started_at, resolved_at } = notification
  const at = step === 'resolved' ? (resolved_at ?? now) : started_at
  return {
    notification_id: id,
    subject,
    severity,
    step,
    title,
    detail,
    link,
    at: at.toISOString(),
  }
}
