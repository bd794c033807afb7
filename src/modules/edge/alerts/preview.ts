/** Evaluates a rule that is not created yet over the past days, exactly as real rules are. */
import { reachable } from '../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../platform/clock.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { countRule } from './counting.ts'
import type { CountPerMinute } from './minute-counts.store.ts'
import type { AlertPreview, CreateAlert } from './schema.ts'
import {
  type AlertState,
  countedTime,
  judge,
  type MinuteCounts,
  minuteOf,
  type Span,
  type Transition,
} from './state.ts'

export type PreviewOptions = {
  clock: Clock
  countPerMinute: CountPerMinute
  edge_alert_lateness_minutes: number
}

export type PreviewedRule = Omit<CreateAlert, 'name'> & { org_id: string }

const PREVIEW_DAYS = 7
const TIMEOUT_MS = 15_000
/** A threshold that is far too low fires all the time: all firings are counted, the last listed. */
const FIRINGS_SHOWN = 50

export async function previewAlert(
  { clock, countPerMinute, edge_alert_lateness_minutes: lateness_minutes }: PreviewOptions,
  rule: PreviewedRule,
): Promise<AlertPreview> {
  const now = clock.now()
  const since = new Date(now.getTime() - PREVIEW_DAYS * DAY_MS)
  const span: Span = { first: minuteOf(since) + 1, last: minuteOf(now) }
  const time = countedTime(rule, span, lateness_minutes)
  const { kind = 'count', ratio_percent = null } = rule
  const counting = countRule(countPerMinute, { ...rule, kind }, time, TIMEOUT_MS)
  const counted = await reachable('Logs', counting)
  const unfired = { status: 'ok', last_fired_at: null, last_resolved_at: null } as const
  const state: AlertState = { ...unfired, evaluated_until: since }
  const facts = { ...counted, span, lateness_minutes }
  const { transitions } = judge(state, { ...rule, kind, ratio_percent, created_at: since }, facts)
  const firings = firingsOf(transitions)
  const yesterday = new Date(now.getTime() - DAY_MS).toISOString()
  return {
    since: since.toISOString(),
    fired: firings.length,
    firings: firings.slice(-FIRINGS_SHOWN).toReversed(),
    fired_last_day: firings.filter(({ fired_at }) => fired_at > yesterday).length,
    ...extremesOf(counted.counts, rule.window_minutes, span),
  }
}

function firingsOf(transitions: readonly Transition[]): AlertPreview['firings'] {
  return transitions.flatMap(({ kind, at }, index) => {
    const end = transitions[index + 1]?.at.toISOString() ?? null
    return kind === 'fired' ? [{ fired_at: at.toISOString(), resolved_at: end }] : []
  })
}

/** Highest and lowest number of logs in any window that ends within the span. */
function extremesOf(counts: MinuteCounts, windowMinutes: number, { first, last }: Span) {
  let inWindow = 0
  let most = 0
  let least = Number.POSITIVE_INFINITY
  const begin = first - windowMinutes
  for (let minute = begin; minute < last; minute += 1) {
    const gone = minute - windowMinutes
    // Minutes before the first window were never added, so they are not subtracted either.
    inWindow += (counts.get(minute) ?? 0) - (gone < begin ? 0 : (counts.get(gone) ?? 0))
    if (minute + 1 < first) continue
    most = Math.max(most, inWindow)
    least = Math.min(least, inWindow)
  }
  return { most_in_window: most, least_in_window: least }
}
