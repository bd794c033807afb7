/**
 * Counts and times of the changes in a form. It reads the kind of a change (`inputType`) and its time,
 * never a key, a value or a position.
 */
import type { Behavior } from './types.ts'

export type BehaviorRecorder = { summary: () => Behavior; stop: () => void }

/** Enough for a median; the latest count. */
const INTERVALS_MAX = 200
const INTERVALS_MIN = 5
/** A longer pause is reading or thinking. */
const PAUSE_MS = 5000

export function recordBehavior(target: EventTarget, now: () => number): BehaviorRecorder {
  const started = now()
  const changed = new WeakSet<EventTarget>()
  const intervals: number[] = []
  const counts = {
    fields: 0,
    insertions: 0,
    corrections: 0,
    pastes: 0,
    replacements: 0,
    scripted_changes: 0,
    clicks: 0,
    pointer_moves: 0,
    departures: 0,
  }
  let first: number | undefined
  let last = started
  let insertion: { field: EventTarget; at: number } | undefined

  const onInput = (event: Event): void => {
    const field = event.target
    if (!field || (field as { type?: unknown }).type === 'password') return
    const at = now()
    first ??= at
    last = at
    if (!changed.has(field)) {
      changed.add(field)
      counts.fields++
    }
    const kind = event.isTrusted ? kindOf((event as InputEvent).inputType) : 'scripted_changes'
    counts[kind]++
    if (kind !== 'insertions') {
      insertion = undefined
      return
    }
    if (insertion?.field === field && at - insertion.at < PAUSE_MS)
      intervals.push(at - insertion.at)
    if (intervals.length > INTERVALS_MAX) intervals.shift()
    insertion = { field, at }
  }
  const hooks: readonly [EventTarget, string, (event: Event) => void][] = [
    [target, 'input', onInput],
    [target, 'click', () => counts.clicks++],
    [target, 'pointermove', () => counts.pointer_moves++],
    [document, 'visibilitychange', () => document.hidden && counts.departures++],
  ]
  const options = { capture: true, passive: true }
  for (const [on, name, run] of hooks) on.addEventListener(name, run, options)
  return {
    summary: () => ({
      page_ms: Math.round(now() - started),
      form_ms: first === undefined ? 0 : Math.round(last - first),
      ...counts,
      ...rhythmOf(intervals),
    }),
    stop: () => {
      for (const [on, name, run] of hooks) on.removeEventListener(name, run, options)
    },
  }
}

/** Browsers report a change by autofill without a type or as a replacement. */
function kindOf(inputType: string | undefined) {
  if (inputType === undefined || inputType === '') return 'replacements'
  if (inputType === 'insertFromPaste' || inputType === 'insertFromDrop') return 'pastes'
  if (inputType.startsWith('delete') || inputType.startsWith('history')) return 'corrections'
  return inputType === 'insertReplacementText' ? 'replacements' : 'insertions'
}

/** Rounded, because the exact rhythm would describe a person. */
function rhythmOf(intervals: readonly number[]) {
  if (intervals.length < INTERVALS_MIN) return {}
  const median = middleOf(intervals)
  const deviation = middleOf(intervals.map((one) => Math.abs(one - median)))
  return { interval_ms_median: rounded(median), interval_ms_deviation: rounded(deviation) }
}

const middleOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const rounded = (ms: number): number => 5 * Math.round(ms / 5)
