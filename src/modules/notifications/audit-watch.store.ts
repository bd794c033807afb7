/**
 * Reports entries of the audit log, which are committed with their cause in the directory. Entries of the last
 * minutes are read again, because they are not committed in the order of their ids; the id of an entry is the
 * key of its notification, so none is reported twice.
 */
import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt } from '../../platform/ids.ts'
import { uuidArray } from '../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { MINUTE_MS } from '../../platform/time-units.ts'
import { type NewNotification, notify } from './notify.store.ts'
import { lockWatch } from './watch.store.ts'

type Entry = {
  org_id: string
  id: string
  action: string
  target: string | null
  details: Record<string, unknown>
  actor: string | null
  at: Date
}

const NAME = 'notifications.audit'
const OVERLAP_MS = 10 * MINUTE_MS
/** Entries of one organization that are read together, and how often in one run; the next run reads on. */
const ENTRIES_MAX = 200
const PAGES_MAX = 50
const ACTIONS = [
  'member.role_changed',
  'member.added',
  'invitation.accepted',
  'key.rolled',
  'sign_in.new_browser',
  'single_sign_on.bypassed',
]

export async function watchAudit(db: Database, directory: Db, now: Date): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await lockWatch(tx, NAME))) return
    const until = await readProgress(tx, now)
    const first = lowestIdAt(until.getTime() - OVERLAP_MS)
    let page = await readEntries(directory, sql`select id, ${first}::uuid from organizations`)
    let rest = lastOfFull(page)
    await notify(tx, page.flatMap(notificationOf))
    for (let pages = 1; rest.length > 0 && pages < PAGES_MAX; pages += 1) {
      page = await readEntries(directory, placesOf(rest))
      await notify(tx, page.flatMap(notificationOf))
      rest = lastOfFull(page)
    }
    const next = Math.min(now.getTime(), ...rest.map(({ at }) => at.getTime() + OVERLAP_MS))
    await sql`
      update notification_progress set until = ${new Date(next)} where name = ${NAME}`.execute(tx)
  })
}

/** The first run starts with the present. */
async function readProgress(tx: Db, now: Date): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    insert into notification_progress (name, until) values (${NAME}, ${now})
    on conflict (name) do update set until = notification_progress.until returning until`.execute(
    tx,
  )
  return rows[0]?.until ?? now
}

/** @param places organizations, and the ids after which to read */
async function readEntries(directory: Db, places: RawBuilder<unknown>): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select a.*, u.email as actor
    from (${places}) as o (id, after) cross join lateral (
      select org_id, id, action, target, details, at, actor_user_id from audit_log
      where org_id = o.id and id > o.after and action = any (${ACTIONS}::text[])
      order by id limit ${sql.lit(ENTRIES_MAX)}
    ) a left join users u on u.id = a.actor_user_id order by a.org_id, a.id`.execute(directory)
  return rows
}

/** The last entry of each organization that has more of them than were read. */
function lastOfFull(page: readonly Entry[]): Entry[] {
  const last = new Map<string, { count: number; entry: Entry }>()
  for (const entry of page) {
    last.set(entry.org_id, { count: (last.get(entry.org_id)?.count ?? 0) + 1, entry })
  }
  return [...last.values()].flatMap(({ count, entry }) => (count < ENTRIES_MAX ? [] : [entry]))
}

const placesOf = (last: readonly Entry[]): RawBuilder<unknown> => sql`
  select * from unnest(${uuidArray(last.map(({ org_id }) => org_id))}::uuid[],
    ${uuidArray(last.map(({ id }) => id))}::uuid[])`

function notificationOf(entry: Entry): NewNotification[] {
  const { org_id, id, target, at, action, details, actor } = entry
  const by = actor === null ? null : `By ${actor}`
  const common = { org_id, key: id, is_lasting: false, detail: by, started_at: at }
  if (action === 'key.rolled') {
    const title = `An API key was rolled: ${target ?? ''}`
    return [
      { ...common, subject: 'key_rolled', severity: 'warning', title, link: '/developers/keys' },
    ]
  }
  if (action === 'sign_in.new_browser') {
    const title = `${target ?? 'A member'} signed in from a new browser`
    const { browser } = details
    const detail = typeof browser === 'string' ? browser : null
    const link = '/organization/audit'
    return [{ ...common, subject: 'new_browser', severity: 'notice', title, detail, link }]
  }
  if (action === 'single_sign_on.bypassed') {
    const title = `${actor ?? 'An owner'} signed in without the required provider`
    const { browser } = details
    const detail = typeof browser === 'string' ? browser : null
    const link = '/organization/audit'
    return [{ ...common, subject: 'provider_bypassed', severity: 'critical', title, detail, link }]
  }
  const role = details['to'] ?? details['role']
  const wasOwner = details['from'] === 'owner'
  if ((role !== 'owner' && role !== 'admin') || wasOwner) return []
  const title = `${target ?? 'A member'} is now ${role} of the organization`
  const link = '/organization/members'
  return [{ ...common, subject: 'member_privileged', severity: 'warning', title, link }]
}
