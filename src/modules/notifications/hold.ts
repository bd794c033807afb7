/** Decides whether a message waits, so that others for its channel can join it. Pure. */
import { HOUR_MS, MINUTE_MS } from '../../platform/time-units.ts'
import type { Severity } from './catalog.ts'
import { type QuietHours, quietUntil } from './quiet-hours.ts'
import type { ChannelKind, Hold } from './tables.ts'

/** A second message about a subject within this time waits for its end. */
const GROUPING_MS = MINUTE_MS

export type Recent = {
  /** When the last message to the channel about the subject was written. */
  same_subject_at: Date | null
  /** Number of messages to the channel in the last hour, and when the first of them was written. */
  in_hour: number
  first_in_hour_at: Date | null
}

export type HoldInput = {
  kind: ChannelKind
  per_hour_max: number
  severity: Severity
  quiet_hours: QuietHours | null
  recent: Recent
  now: Date
}

/** PagerDuty groups and limits incidents itself, and each message is about one of them. */
export const isSingle = (kind: ChannelKind): boolean => kind === 'pagerduty'

/** @returns undefined when the message is sent immediately */
export function holdOf(input: HoldInput): { hold: Hold; until: Date } | undefined {
  const { kind, severity, quiet_hours, recent, now, per_hour_max } = input
  const quiet = severity === 'critical' ? undefined : quietUntil(quiet_hours, now)
  if (quiet !== undefined) return { hold: 'quiet_hours', until: quiet }
  if (isSingle(kind)) return undefined
  const { in_hour, first_in_hour_at, same_subject_at } = recent
  if (in_hour >= per_hour_max && first_in_hour_at !== null) {
    return { hold: 'limit', until: new Date(first_in_hour_at.getTime() + HOUR_MS) }
  }
  const grouped = (same_subject_at?.getTime() ?? 0) + GROUPING_MS
  return grouped > now.getTime() ? { hold: 'grouping', until: new Date(grouped) } : undefined
}
