/** Decides which channels are notified of a notification, of what, and when it is looked at again. Pure. */
import { MINUTE_MS } from '../../platform/time-units.ts'
import { rankOf, type Severity } from './catalog.ts'
import type { QuietHours } from './quiet-hours.ts'
import type { Step } from './tables.ts'

export type Route = {
  user_id: string | null
  subject: string | null
  rule_id: string | null
  channel_ids: readonly string[]
  min_severity: Severity
  repeat_minutes: number
  quiet_hours: QuietHours | null
  muted_until: Date | null
}

export type Routed = {
  subject: string
  severity: Severity
  rule_id: string | null
  is_lasting: boolean
  resolved_at: Date | null
  acknowledged_at: Date | null
  /** The end of the mute of the rule that it is about. */
  muted_until: Date | null
  /** Channels that were notified of the start. */
  told: readonly string[]
}

export type Telling = { channel_id: string; step: Step; quiet_hours: QuietHours | null }

export type Decision = {
  tellings: Telling[]
  /** When the notification is looked at again; null when nothing is left to be notified. */
  due_at: Date | null
}

export function decide(notification: Routed, routes: readonly Route[], now: Date): Decision {
  const applying = applyingRoutes(notification, routes)
  const muted = isMuted(notification.muted_until, now) ? notification.muted_until : undefined
  const heard = muted ? [] : applying.filter(({ muted_until }) => !isMuted(muted_until, now))
  const told = new Set(notification.told)
  const started = eachChannelOnce(heard).filter(({ channel_id }) => !told.has(channel_id))
  const starts = started.map((telling): Telling => ({ ...telling, step: 'started' }))
  if (notification.resolved_at !== null)
    return { tellings: [...ends(starts, told, heard)], due_at: null }
  if (notification.acknowledged_at !== null) return { tellings: [], due_at: null }
  const repeating = heard.filter(({ repeat_minutes }) => repeat_minutes > 0)
  const repeats = eachChannelOnce(repeating)
    .filter(({ channel_id }) => told.has(channel_id))
    .map((telling): Telling => ({ ...telling, step: 'repeated' }))
  const tellings = [...starts, ...repeats]
  return { tellings, due_at: notification.is_lasting ? (muted ?? nextTime(applying, now)) : null }
}

/** What began and ended before anyone was notified is notified as both. */
function* ends(
  starts: readonly Telling[],
  told: ReadonlySet<string>,
  routes: readonly Route[],
): Generator<Telling> {
  const quiet = new Map(eachChannelOnce(routes).map((each) => [each.channel_id, each.quiet_hours]))
  const fresh = told.size === 0 ? starts : []
  yield* fresh
  for (const channel_id of new Set([...told, ...fresh.map((each) => each.channel_id)])) {
    yield { channel_id, step: 'resolved', quiet_hours: quiet.get(channel_id) ?? null }
  }
}

/** The most specific route of the organization, and that of each member. */
export function applyingRoutes(
  { subject, severity, rule_id }: Pick<Routed, 'subject' | 'severity' | 'rule_id'>,
  routes: readonly Route[],
): Route[] {
  const chosen = new Map<string | null, { route: Route; rank: number }>()
  for (const route of routes) {
    const rank = specificityOf(route, { subject, rule_id })
    if (rank > (chosen.get(route.user_id)?.rank ?? 0)) chosen.set(route.user_id, { route, rank })
  }
  return [...chosen.values()]
    .map(({ route }) => route)
    .filter(({ min_severity }) => rankOf(severity) >= rankOf(min_severity))
}

/** 0 when the route does not apply. */
function specificityOf(route: Route, wanted: Pick<Routed, 'subject' | 'rule_id'>): number {
  if (route.rule_id !== null) return route.rule_id === wanted.rule_id ? 3 : 0
  if (route.subject !== null) return route.subject === wanted.subject ? 2 : 0
  return 1
}

const isMuted = (until: Date | null, now: Date): until is Date =>
  until !== null && until.getTime() > now.getTime()

function eachChannelOnce(routes: readonly Route[]): Omit<Telling, 'step'>[] {
  const channels = new Map<string, Omit<Telling, 'step'>>()
  for (const { channel_ids, quiet_hours } of routes) {
    for (const channel_id of channel_ids) {
      if (!channels.has(channel_id)) channels.set(channel_id, { channel_id, quiet_hours })
    }
  }
  return [...channels.values()]
}

/** The end of the first mute, or the next repetition, of which the shortest interval counts. */
function nextTime(routes: readonly Route[], now: Date): Date | null {
  const times = routes.flatMap(({ muted_until, repeat_minutes }) => {
    if (isMuted(muted_until, now)) return [muted_until.getTime()]
    return repeat_minutes > 0 ? [now.getTime() + repeat_minutes * MINUTE_MS] : []
  })
  return times.length === 0 ? null : new Date(Math.min(...times))
}
