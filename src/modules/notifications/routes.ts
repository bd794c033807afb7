/** Which channels an organization uses for what, and what each member wants to be notified of by e-mail. */
import type { Clock } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { MINUTE_MS } from '../../platform/time-units.ts'
import type { insertAudit } from '../audit/index.ts'
import { listBrowsers } from './browsers/store.ts'
import { listChannels } from './channels.store.ts'
import type { Actor } from './channels.ts'
import { lockName } from './lock.store.ts'
import { memberChannel } from './member-channel.store.ts'
import { isTimeZone, type QuietHours } from './quiet-hours.ts'
import {
  countRoutes,
  deleteRoute,
  listRoutes,
  lookAgain,
  muteRoute,
  type RouteRow,
  upsertRoute,
} from './routes.store.ts'
import type { NewRoute, OwnRoute, ShownRoute } from './schema.ts'

export type Routes = {
  list(orgId: string): Promise<ShownRoute[]>
  /** Creates or replaces the route of a rule, of a subject, or of all others. @throws AppError 400 */
  set(actor: Actor, route: NewRoute): Promise<ShownRoute>
  remove(actor: Actor, id: string): Promise<boolean>
  /** @param minutes 0 ends a mute */
  mute(actor: Actor, id: string, minutes: number): Promise<ShownRoute | undefined>
  /** Returns the choices of the member. */
  listOwn(actor: Actor): Promise<ShownRoute[]>
  /** @throws AppError 400 naming the member that is invalid */
  setOwn(actor: Actor, route: OwnRoute): Promise<ShownRoute>
}

export type RouteDependencies = {
  db: Database
  clock: Clock
  newId: NewId
  audit: typeof insertAudit
  has_mailer: boolean
}

const ROUTES_MAX = 500

export function createRoutes(deps: RouteDependencies): Routes {
  const { db, clock, newId, audit } = deps
  const audited = async (tx: Db, actor: Actor, action: string, row: RouteRow) => {
    const at = clock.now()
    const facts = { id: newId(at), at, actor_user_id: actor.user_id, action }
    const details = { ...(row.rule_id !== null && { rule_id: row.rule_id }) }
    await audit(tx, actor.org_id, { ...facts, target: row.subject ?? 'all others', details })
  }
  return {
    list: async (orgId) => (await listRoutes(db, orgId, null)).map(shownRoute),
    set: async (actor, route) => {
      const { org_id } = actor
      const { subject = null, rule_id = null, channel_ids } = route
      if (rule_id !== null && subject === null) {
        throw invalidRequest('subject', 'subject is required for a route of a rule')
      }
      const quiet_hours = readQuietHours(route.quiet_hours)
      return await db.transaction().execute(async (tx) => {
        await lockName(tx, `notification_routes:${org_id}`)
        await requireChannels(tx, org_id, channel_ids)
        if ((await countRoutes(tx, org_id)) >= ROUTES_MAX) throw invalidRequest('org_id', TOO_MANY)
        const now = clock.now()
        const { min_severity, repeat_minutes = 0 } = route
        const key = { org_id, user_id: null, subject, rule_id }
        const values = { channel_ids, min_severity, repeat_minutes, quiet_hours }
        const row = await upsertRoute(tx, newId(now), key, values, now)
        await audited(tx, actor, 'notification_route.changed', row)
        return shownRoute(row)
      })
    },
    remove: async (actor, id) => {
      if (!isUuid(id)) return false
      return await db.transaction().execute(async (tx) => {
        const row = await deleteRoute(tx, { org_id: actor.org_id, user_id: null }, id)
        if (row) await audited(tx, actor, 'notification_route.deleted', row)
        return row !== undefined
      })
    },
    mute: async (actor, id, minutes) => {
      if (!isUuid(id)) return undefined
      const until = minutes === 0 ? null : new Date(clock.now().getTime() + minutes * MINUTE_MS)
      return await db.transaction().execute(async (tx) => {
        const row = await muteRoute(tx, { org_id: actor.org_id, user_id: null }, id, until)
        if (!row) return undefined
        if (until === null) await lookAgain(tx, actor.org_id)
        const action = until === null ? 'notification_route.unmuted' : 'notification_route.muted'
        await audited(tx, actor, action, row)
        return shownRoute(row)
      })
    },
    listOwn: async ({ org_id, user_id }) => (await listRoutes(db, org_id, user_id)).map(shownRoute),
    setOwn: async ({ org_id, user_id }, { subject = null, is_on, ...route }) => {
      const isReachable =
        deps.has_mailer || (await listBrowsers(db, { org_id, user_id })).length > 0
      if (is_on && !isReachable) throw invalidRequest('is_on', NO_MAILER)
      const quiet_hours = readQuietHours(route.quiet_hours)
      return await db.transaction().execute(async (tx) => {
        const now = clock.now()
        const channel_id = await memberChannel(tx, { org_id, user_id }, newId(now), now)
        const { min_severity, repeat_minutes = 0 } = route
        const channel_ids = is_on ? [channel_id] : []
        const key = { org_id, user_id, subject, rule_id: null }
        const values = { channel_ids, min_severity, repeat_minutes, quiet_hours }
        return shownRoute(await upsertRoute(tx, newId(now), key, values, now))
      })
    },
  }
}

const TOO_MANY = `org_id already has ${ROUTES_MAX} routes, the maximum; delete one first`
const NO_MAILER =
  'is_on needs a browser that is notified, or a mail server: set VIGIL_SMTP_URL and VIGIL_SMTP_FROM'

function readQuietHours(quiet: QuietHours | null | undefined): QuietHours | null {
  if (!quiet) return null
  if (!isTimeZone(quiet.time_zone)) {
    const message = 'quiet_hours.time_zone must be a time zone such as Europe/Berlin'
    throw invalidRequest('quiet_hours.time_zone', message)
  }
  return quiet
}

async function requireChannels(tx: Db, orgId: string, ids: readonly string[]): Promise<void> {
  const known = new Set((await listChannels(tx, orgId)).map(({ id }) => id))
  const index = ids.findIndex((id) => !known.has(id.toLowerCase()))
  if (index >= 0) {
    const field = `channel_ids.${index}`
    throw invalidRequest(field, `${field} is not a channel of the organization`)
  }
}

function shownRoute(row: RouteRow): ShownRoute {
  const { org_id: _org, user_id: _user, ...route } = row
  return {
    ...route,
    channel_ids: [...row.channel_ids],
    muted_until: row.muted_until?.toISOString() ?? null,
  }
}
