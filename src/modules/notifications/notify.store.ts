/** Writes notifications in the transaction of their cause. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import type { Severity, SubjectName } from './catalog.ts'

export type NewNotification = {
  org_id: string
  subject: SubjectName
  /** Id of the object that it is about, such as a rule. One that lasts is not reported again until it is resolved. */
  key: string
  severity: Severity
  /** It lasts until `resolveNotifications` is called; otherwise it happens once. */
  is_lasting: boolean
  /** One line, which states what happened to what. */
  title: string
  detail?: string | null
  /** Path below the pages of the organization, such as `/logs/alerts`. */
  link: string
  /** Log alert rule, which may have its own route. */
  rule_id?: string | null
  /** Nothing is sent until then. */
  muted_until?: Date | null
  started_at: Date
}

/** @returns the number of notifications that were not reported before */
export async function notify(tx: Db, notifications: readonly NewNotification[]): Promise<number> {
  if (notifications.length === 0) return 0
  const { numAffectedRows = 0n } = await insertNotifications(notifications).execute(tx)
  return Number(numAffectedRows)
}

/** For transactions that write all of their rows in one statement. */
export const notificationWriter: Writer<NewNotification> = {
  name: 'new_notifications',
  write: insertNotifications,
}

function insertNotifications(notifications: readonly NewNotification[]): RawBuilder<unknown> {
  return sql`
    insert into notifications (org_id, id, subject, key, severity, is_lasting, title, detail, link,
      rule_id, muted_until, started_at, due_at)
    select org_id, new_time_id(), subject, key, severity, is_lasting, left(title, 300),
      left(detail, 2000), link, rule_id, muted_until, started_at, now()
    from json_to_recordset(${JSON.stringify(notifications)}::json) as n (
      org_id uuid, subject text, key text, severity text, is_lasting boolean, title text, detail text,
      link text, rule_id uuid, muted_until timestamptz, started_at timestamptz)
    order by org_id, subject, key
    on conflict (org_id, subject, key) where resolved_at is null do nothing`
}

export type Resolution = { org_id: string; subject: SubjectName; key: string; resolved_at: Date }

/** Ends notifications that last. Those that are not open are ignored. */
export async function resolveNotifications(
  tx: Db,
  resolutions: readonly Resolution[],
): Promise<number> {
  if (resolutions.length === 0) return 0
  const { numAffectedRows = 0n } = await sql`
    update notifications n
    set resolved_at = greatest(r.resolved_at, n.started_at), due_at = now()
    from json_to_recordset(${JSON.stringify(resolutions)}::json) as r (
      org_id uuid, subject text, key text, resolved_at timestamptz)
    where n.org_id = r.org_id and n.subject = r.subject and n.key = r.key
      and n.is_lasting and n.resolved_at is null`.execute(tx)
  return Number(numAffectedRows)
}

/** Mutes what lasts about a rule. What was not sent because of a mute is sent when it ends early. */
export async function muteRule(
  tx: Db,
  { org_id, rule_id, until }: { org_id: string; rule_id: string; until: Date | null },
): Promise<void> {
  await sql`
    update notifications set muted_until = ${until}::timestamptz,
      due_at = case when acknowledged_at is null then t.at end
    from (select now() as at) t
    where org_id = ${org_id} and rule_id = ${rule_id} and is_lasting and resolved_at is null`.execute(
    tx,
  )
}
