/** The digest of a day, in UTC, for organizations and members that have a route for it. It is written once. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import { nameOfSubject } from './catalog.ts'
import { notify } from './notify.store.ts'

/** A subject that began on the day, or that lasts; null where nothing did. */
type Counted = { org_id: string; subject: string | null; count: number; lasting: number }

export async function writeDigests(tx: Db, now: Date): Promise<void> {
  const today = new Date(now.getTime() - (now.getTime() % DAY_MS))
  const from = new Date(today.getTime() - DAY_MS)
  const day = from.toISOString().slice(0, 10)
  const { rows } = await sql<Counted>`
    select o.org_id, n.subject, count(n.id)::integer as count,
      (count(n.id) filter (where n.is_lasting and n.resolved_at is null))::integer as lasting
    from (
      select distinct org_id from notification_routes
      where subject = 'daily_digest' and channel_ids <> '{}'
    ) o left join notifications n on n.org_id = o.org_id and n.subject <> 'daily_digest'
      and n.started_at < ${today}
      and (n.started_at >= ${from} or n.is_lasting and n.resolved_at is null)
    where not exists (select from notifications d where d.org_id = o.org_id
      and d.subject = 'daily_digest' and d.key = ${day})
    group by o.org_id, n.subject order by o.org_id, n.subject`.execute(tx)
  await notify(
    tx,
    [...groupedByOrg(rows)].map(([org_id, subjects]) => ({
      org_id,
      subject: 'daily_digest',
      key: day,
      severity: 'notice',
      is_lasting: false,
      ...contentOf(day, subjects),
      link: '/notifications',
      started_at: now,
    })),
  )
}

function groupedByOrg(rows: readonly Counted[]): Map<string, Counted[]> {
  const orgs = new Map<string, Counted[]>()
  for (const row of rows) orgs.set(row.org_id, [...(orgs.get(row.org_id) ?? []), row])
  return orgs
}

function contentOf(day: string, subjects: readonly Counted[]): { title: string; detail: string } {
  const sum = (name: 'count' | 'lasting') => subjects.reduce((total, row) => total + row[name], 0)
  const count = sum('count')
  const title = `Digest of ${day}: ${count === 1 ? '1 notification' : `${count} notifications`}`
  const lines = subjects.flatMap((row) =>
    row.subject === null
      ? []
      : [
          `${nameOfSubject(row.subject)}: ${row.count}${row.lasting > 0 ? `, of which ${row.lasting} last` : ''}`,
        ],
  )
  return { title, detail: lines.join('\n') || 'Nothing was reported.' }
}
