/** From facts to what is told: which of them need attention, how urgently, and where to go. Pure. */
import type { AttentionItem, CreditsLeft, Severity } from './schema.ts'
import type {
  FiringAlert,
  OpenReviews,
  RefusedCredential,
  SpoolStanding,
  TroubledEndpoint,
} from './store.ts'

export type AttentionFacts = {
  reviews: OpenReviews
  endpoints: readonly TroubledEndpoint[]
  alerts: readonly FiringAlert[]
  non_compliant_devices: number
  push: readonly RefusedCredential[]
  spool: SpoolStanding
  /** Null for those who may not see them. */
  credits: CreditsLeft | null
  /** Whether requests are refused when none are left. */
  credits_required: boolean
}

export const REVIEWS_COUNTED_MAX = 1000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Somebody waits for an answer about his order. */
const REVIEW_LATE_MS = DAY_MS
/** Logs are there within a second or so. */
const SPOOL_LATE_MS = 2 * MINUTE_MS
const CREDITS_DAYS_MIN = 14
const NAMED_MAX = 3

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, notice: 2 }

export function attentionOf(facts: AttentionFacts, now: Date): AttentionItem[] {
  return [
    ...creditItems(facts),
    ...endpointItems(facts.endpoints),
    ...pushItems(facts.push),
    ...alertItems(facts.alerts),
    ...spoolItems(facts.spool, now),
    ...reviewItems(facts.reviews, now),
    ...deviceItems(facts.non_compliant_devices),
  ].toSorted((a, b) => RANK[a.severity] - RANK[b.severity])
}

function creditItems({ credits, credits_required }: AttentionFacts): AttentionItem[] {
  if (credits === null) return []
  const { available_credits, spent_per_day, days_left } = credits
  const item = (severity: Severity, text: string, detail: string): AttentionItem => ({
    kind: 'credits',
    severity,
    text,
    detail,
    since: null,
    link: '/developers/usage',
  })
  if (available_credits <= 0) {
    if (credits_required) {
      const refused = 'Checks and orders with live keys are refused until credits are granted.'
      return [item('critical', 'No credits are left', refused)]
    }
    if (spent_per_day === 0) return []
    const going = 'Nothing is refused; what is used is debited all the same.'
    return [item('notice', `The balance is ${rounded(available_credits)} credits`, going)]
  }
  if (days_left === null || days_left >= CREDITS_DAYS_MIN) return []
  const spent = `${rounded(spent_per_day)} a day were spent in the last seven days.`
  const text = `${rounded(available_credits)} credits are left: ${daysText(days_left)} at this rate`
  return [item(credits_required ? 'warning' : 'notice', text, spent)]
}

function endpointItems(endpoints: readonly TroubledEndpoint[]): AttentionItem[] {
  const paused = endpoints.filter(({ pause_reason }) => pause_reason !== null)
  const failing = endpoints.filter(({ pause_reason }) => pause_reason === null)
  const item = (
    kind: 'webhooks_paused' | 'webhooks_failing',
    some: readonly TroubledEndpoint[],
    text: string,
  ): AttentionItem[] =>
    some.length === 0
      ? []
      : [
          {
            kind,
            severity: kind === 'webhooks_paused' ? 'critical' : 'warning',
            text,
            detail: named(some.map(({ url }) => url)),
            since: sinceOf(some),
            link: linkTo('/webhooks', some),
          },
        ]
  return [
    ...item(
      'webhooks_paused',
      paused,
      `${counted(paused, 'webhook endpoint')} paused after failing for too long`,
    ),
    ...item('webhooks_failing', failing, `${counted(failing, 'webhook endpoint')} failing`),
  ]
}

function pushItems(refused: readonly RefusedCredential[]): AttentionItem[] {
  const [first] = refused
  if (first === undefined) return []
  const names = refused.map(({ name, provider }) => `${name} (${PROVIDERS[provider]})`)
  return [
    {
      kind: 'push',
      severity: 'critical',
      text: `${counted(refused, 'push credential')} refused by the provider`,
      detail: refused.length === 1 ? `${names[0] ?? ''}: ${first.error}` : named(names),
      since: sinceOf(refused),
      link: refused.length === 1 ? `/push/${first.application_id}/setup` : '/push',
    },
  ]
}

function alertItems(alerts: readonly FiringAlert[]): AttentionItem[] {
  if (alerts.length === 0) return []
  return [
    {
      kind: 'alerts',
      severity: 'critical',
      text: `${counted(alerts, 'log alert')} firing`,
      detail: named(alerts.map(({ name }) => name)),
      since: sinceOf(alerts),
      link: '/logs/alerts',
    },
  ]
}

function spoolItems(
  { waiting_since, refused, refused_since }: SpoolStanding,
  now: Date,
): AttentionItem[] {
  const items: AttentionItem[] = []
  const link = '/logs'
  if (waiting_since && now.getTime() - waiting_since.getTime() > SPOOL_LATE_MS) {
    items.push({
      kind: 'spool',
      severity: 'warning',
      text: 'Logs and events wait to be stored',
      detail: 'They are taken in and kept. Search and statistics miss what came since then.',
      since: waiting_since.toISOString(),
      link,
    })
  }
  if (refused > 0) {
    items.push({
      kind: 'spool_refused',
      severity: 'warning',
      text: `${refused} batches of logs or events cannot be stored`,
      detail: 'They are kept and tried again; the log of the service names why.',
      since: refused_since?.toISOString() ?? null,
      link,
    })
  }
  return items
}

function reviewItems({ count, oldest_at }: OpenReviews, now: Date): AttentionItem[] {
  if (count === 0) return []
  const isLate = oldest_at !== null && now.getTime() - oldest_at.getTime() > REVIEW_LATE_MS
  const number = count > REVIEWS_COUNTED_MAX ? `More than ${REVIEWS_COUNTED_MAX}` : String(count)
  return [
    {
      kind: 'reviews',
      severity: isLate ? 'warning' : 'notice',
      text: `${number} ${count === 1 ? 'review waits' : 'reviews wait'} for a decision`,
      detail: null,
      since: oldest_at?.toISOString() ?? null,
      link: '/reviews',
    },
  ]
}

function deviceItems(count: number): AttentionItem[] {
  if (count === 0) return []
  return [
    {
      kind: 'devices',
      severity: 'warning',
      text: `${count} managed ${count === 1 ? 'device does' : 'devices do'} not comply with the policy`,
      detail: null,
      since: null,
      link: '/devices/fleet?compliance=non_compliant',
    },
  ]
}

const PROVIDERS = { fcm: 'FCM', apns: 'APNs' } as const

/** `1 endpoint is`, `3 endpoints are` */
const counted = (some: readonly unknown[], noun: string): string =>
  some.length === 1 ? `1 ${noun} is` : `${some.length} ${noun}s are`

const linkTo = (path: string, some: readonly { id: string }[]): string =>
  some.length === 1 ? `${path}/${some[0]?.id ?? ''}` : path

function named(names: readonly string[]): string {
  const more = names.length - NAMED_MAX
  return [...names.slice(0, NAMED_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

function sinceOf(some: readonly { since: Date | null }[]): string | null {
  const times = some.flatMap(({ since }) => (since ? [since.getTime()] : []))
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString()
}

const rounded = (credits: number): number => Math.round(credits * 100) / 100

const daysText = (days: number): string =>
  days < 1 ? 'less than a day' : days < 2 ? 'one day' : `${Math.floor(days)} days`
