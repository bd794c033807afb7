/** What happened in an organization, who acknowledged it, and the messages about it. */
import type { Clock } from '../../platform/clock.ts'
import { isUuid } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { emailsOf } from '../accounts/index.ts'
import type { Actor } from './channels.ts'
import {
  acknowledge,
  listMessages,
  listNotifications,
  type MessageRow,
  type NotificationRow,
  type Page,
  readFiring,
  retryMessage,
} from './history.store.ts'
import type { Firing, ShownMessage, ShownNotification } from './schema.ts'

export type History = {
  /** Newest first. */
  list(
    orgId: string,
    lasting: boolean,
    page: Page,
  ): Promise<Listed<'notifications', ShownNotification>>
  firing(orgId: string): Promise<Firing>
  /** Ends repetitions. @returns undefined when there is no such notification that lasts */
  acknowledge(actor: Actor, id: string): Promise<ShownNotification | undefined>
  /** Newest first, without those to other members. */
  messages(
    actor: Actor,
    channelId: string | undefined,
    page: Page,
  ): Promise<Listed<'messages', ShownMessage>>
  /** Sends a message again that has failed. */
  retry(orgId: string, id: string): Promise<boolean>
}

type Listed<Name extends string, T> = Record<Name, T[]> & { next_cursor: string | null }

export type HistoryDependencies = {
  db: Database
  directory: Database
  clock: Clock
  hint: () => void
}

export function createHistory({ db, directory, clock, hint }: HistoryDependencies): History {
  const shown = async (rows: readonly NotificationRow[]): Promise<ShownNotification[]> => {
    const by = rows.map(({ acknowledged_by }) => acknowledged_by)
    const emails = await emailsOf(directory, by)
    return rows.map((row) => shownNotification(row, emails.get(row.acknowledged_by ?? '') ?? null))
  }
  return {
    list: async (orgId, lasting, page) => {
      const rows = await listNotifications(db, orgId, lasting, page)
      return { notifications: await shown(rows), next_cursor: nextCursor(rows, page) }
    },
    firing: async (orgId) => await readFiring(db, orgId),
    acknowledge: async ({ org_id, user_id }, id) => {
      if (!isUuid(id)) return undefined
      const row = await acknowledge(db, org_id, id, { user_id, at: clock.now() })
      return row && (await shown([row]))[0]
    },
    messages: async ({ org_id, user_id }, channel_id, page) => {
      const rows = await listMessages(db, { org_id, user_id, channel_id }, page)
      return { messages: rows.map(shownMessage), next_cursor: nextCursor(rows, page) }
    },
    retry: async (orgId, id) => {
      if (!isUuid(id) || !(await retryMessage(db, orgId, id))) return false
      hint()
      return true
    },
  }
}

const nextCursor = (rows: readonly { id: string }[], { limit }: Page): string | null =>
  rows.length === limit ? (rows.at(-1)?.id ?? null) : null

function shownNotification(row: NotificationRow, by: string | null): ShownNotification {
  const { id, subject, severity, is_lasting, title, detail, link, rule_id } = row
  const facts = { id, subject, severity, is_lasting, title, detail, link, rule_id }
  return {
    ...facts,
    started_at: row.started_at.toISOString(),
    resolved_at: row.resolved_at?.toISOString() ?? null,
    acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    acknowledged_by: by,
    channels_told: row.told.length,
  }
}

const shownMessage = (row: MessageRow): ShownMessage => ({
  ...row,
  due_at: row.due_at?.toISOString() ?? null,
  attempted_at: row.attempted_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})
