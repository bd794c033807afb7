/** Turns facts into attention items with their severity and link. Pure. */
import { DAY_MS, MINUTE_MS } from '../../platform/time-units.ts'
import type { AttentionItem, CreditsLeft, Severity } from './schema.ts'
import type {
  FailingEndpoint,
  FiringAlert,
  OpenReviews,
  RefusedCredential,
  SpoolStatus,
} from './store.ts'

export type AttentionFacts = {
  reviews: OpenReviews
  endpoints: readonly FailingEndpoint[]
  alerts: readonly FiringAlert[]
  non_compliant_devices: number
  push: readonly RefusedCredential[]
  spool: SpoolStatus
  /** Null for viewers who may not see credits. */
  credits: CreditsLeft | null
  /** Whether requests are refused when no credits are left. */
  credits_required: boolean
}

export const REVIEWS_COUNTED_MAX = 1000
/** A customer waits for the decision about an order. */
const REVIEW_LATE_MS = DAY_MS
/** Logs normally arrive within about a second. */
const SPOOL_LATE_MS = 2 * MINUTE_MS
const CREDITS_DAYS_MIN = 14
const NAMED_MAX = 3

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, notice: 2 }

export function attentionOf(facts: AttentionFacts, now: Date): AttentionItem[] {
  const items = [
    creditItem(facts),
    ...endpointItems(facts.endpoints),
    pushItem(facts.push),
    alertItem(facts.alerts),
    waitingItem(facts.spool, now),
    refusedItem(facts.spool),
    reviewItem(facts.reviews, now),
    deviceItem(facts.non_compliant_devices),
  ].filter((item) => item !== undefined)
  return items.toSorted((a, b) => RANK[a.severity] - RANK[b.severity])
}

type MaybeItem = AttentionItem | undefined

function creditItem({ credits, credits_required }: AttentionFacts): MaybeItem {
  if (credits === null) return undefined
  const { available_credits, spent_per_day, days_left, low_balance_credits } = credits
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
      return item('critical', 'No credits are left', refused)
    }
    if (spent_per_day === 0) return undefined
    const allowed = 'Requests are not refused; usage is still debited.'
    return item('notice', `The balance is ${rounded(available_credits)} credits`, allowed)
  }
  const severity = credits_required ? 'warning' : 'notice'
  if (low_balance_credits !== null) {
    if (available_credits >= low_balance_credits) return undefined
    const left = `${rounded(available_credits)} credits are left`
    return item(severity, left, `The level of this organization is ${low_balance_credits} credits.`)
  }
  if (days_left === null || days_left >= CREDITS_DAYS_MIN) return undefined
  const spent = `Average usage in the last seven days: ${rounded(spent_per_day)} credits per day.`
  const text = `${rounded(available_credits)} credits are left: ${daysText(days_left)} at this rate`
  return item(severity, text, spent)
}

function endpointItems(endpoints: readonly FailingEndpoint[]): MaybeItem[] {
  const paused = endpoints.filter(({ pause_reason }) => pause_reason !== null)
  const failing = endpoints.filter(({ pause_reason }) => pause_reason === null)
  const item = (some: readonly FailingEndpoint[], fixed: ItemStart): MaybeItem => {
    if (some.length === 0) return undefined
    const detail = named(some.map(({ url }) => url))
    return { ...fixed, detail, since: sinceOf(some), link: linkTo('/webhooks', some) }
  }
  const pausedText = `${counted(paused, 'webhook endpoint')} paused after failing for too long`
  const failingText = `${counted(failing, 'webhook endpoint')} failing`
  return [
    item(paused, { kind: 'webhooks_paused', severity: 'critical', text: pausedText }),
    item(failing, { kind: 'webhooks_failing', severity: 'warning', text: failingText }),
  ]
}

type ItemStart = Pick<AttentionItem, 'kind' | 'severity' | 'text'>

function pushItem(refused: readonly RefusedCredential[]): MaybeItem {
  const [first] = refused
  if (first === undefined) return undefined
  const names = refused.map(({ name, provider }) => `${name} (${PROVIDERS[provider]})`)
  return {
    kind: 'push',
    severity: 'critical',
    text: `${counted(refused, 'push credential')} refused by the provider`,
    detail: refused.length === 1 ? `${names[0] ?? ''}: ${first.error}` : named(names),
    since: sinceOf(refused),
    link: refused.length === 1 ? `/push/${first.application_id}/setup` : '/push',
  }
}

function alertItem(alerts: readonly FiringAlert[]): MaybeItem {
  if (alerts.length === 0) return undefined
  return {
    kind: 'alerts',
    severity: 'critical',
    text: `${counted(alerts, 'log alert')} firing`,
    detail: named(alerts.map(({ name }) => name)),
    since: sinceOf(alerts),
    link: '/logs/alerts',
  }
}

function waitingItem({ waiting_since }: SpoolStatus, now: Date): MaybeItem {
  if (!waiting_since || now.getTime() - waiting_since.getTime() <= SPOOL_LATE_MS) return undefined
  return {
    kind: 'spool',
    severity: 'warning',
    text: 'Logs and events are waiting to be stored',
    detail: 'They are accepted and safe. Search and statistics do not include them yet.',
    since: waiting_since.toISOString(),
    link: '/logs',
  }
}

function refusedItem({ refused, refused_since }: SpoolStatus): MaybeItem {
  if (refused === 0) return undefined
  return {
    kind: 'spool_refused',
    severity: 'warning',
    text: `${refused} batches of logs or events cannot be stored`,
    detail: 'They are retained and retried; see the log of the service for the reason.',
    since: refused_since?.toISOString() ?? null,
    link: '/logs',
  }
}

function reviewItem({ count, oldest_at }: OpenReviews, now: Date): MaybeItem {
  if (count === 0) return undefined
  const isLate = oldest_at !== null && now.getTime() - oldest_at.getTime() > REVIEW_LATE_MS
  const number = count > REVIEWS_COUNTED_MAX ? `More than ${REVIEWS_COUNTED_MAX}` : String(count)
  return {
    kind: 'reviews',
    severity: isLate ? 'warning' : 'notice',
    text: `${number} ${count === 1 ? 'review waits' : 'reviews wait'} for a decision`,
    detail: null,
    since: oldest_at?.toISOString() ?? null,
    link: '/reviews',
  }
}

function deviceItem(count: number): MaybeItem {
  if (count === 0) return undefined
  return {
    kind: 'devices',
    severity: 'warning',
    text: `${count} managed ${count === 1 ? 'device does' : 'devices do'} not comply with the policy`,
    detail: null,
    since: null,
    link: '/devices/fleet?compliance=non_compliant',
  }
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
