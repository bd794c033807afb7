/**
 * The web vitals of a page load by the definitions of https://web.dev/articles/vitals. Values are
 * collected before a batch is sent, and are reported again with the same id when they have changed.
 */
import { listen, type Observation, observe, type Stop, stopAll } from './hooks.ts'
import { createInteractionScore, type EventTiming } from './interactions.ts'
import { createLayoutShiftScore, type LayoutShift } from './layout-shift.ts'
import type { RumEvent } from './types.ts'

export type Vital = NonNullable<RumEvent['vital']>
type Name = Vital['name']

/** Browsers report event timings from 16 ms; an interaction below 40 ms feels instant. */
const INTERACTION_MS_MIN = 40

export type Vitals = {
  /** Returns the vitals that are new or have changed since the last call. */
  collect: () => Vital[]
  stop: Stop
}

/**
 * `onChange` is called when there are values to collect, `onRestore` when the page is restored from
 * the back/forward cache, which counts as another page load.
 */
export function watchVitals(
  newId: () => string,
  onChange: () => void,
  onRestore: () => void,
): Vitals {
  const activation = navigation()?.activationStart ?? 0
  const sinceActivation = (time: number): number => Math.max(0, time - activation)
  let load = startLoad(newId(), firstHidden(), onChange)
  const answered = navigation()?.responseStart ?? 0
  if (answered > 0) load.set('TTFB', sinceActivation(answered))

  const buffered = true
  const onInteraction = (entry: EventTiming): void => load.interact(entry)
  const observations: Observation[] = [
    observe(
      'paint',
      ({ name, startTime }) => {
        if (name === 'first-contentful-paint') load.paint('FCP', startTime, sinceActivation)
      },
      { buffered },
    ),
    // The browser stops reporting entries at the first input.
    observe(
      'largest-contentful-paint',
      ({ startTime }) => load.paint('LCP', startTime, sinceActivation),
      { buffered },
    ),
    observe<LayoutShift>('layout-shift', (entry) => load.shift(entry), { buffered }),
    observe('event', onInteraction, {
      buffered,
      durationThreshold: INTERACTION_MS_MIN,
    } as PerformanceObserverInit),
    observe('first-input', onInteraction, { buffered }),
  ]
  const restore = ({ persisted, timeStamp }: PageTransitionEvent): void => {
    if (!persisted) return
    onRestore()
    const restored = startLoad(newId(), Number.POSITIVE_INFINITY, onChange)
    load = restored
    // The restored page is painted after two frames.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const now = performance.now()
        for (const name of ['FCP', 'LCP'] as const) {
          restored.paint(name, now, (time) => time - timeStamp)
        }
      }),
    )
  }
  const stop = stopAll(
    ...observations.map((each) => each.stop),
    listen<PageTransitionEvent>(window, 'pageshow', restore),
    listen(document, 'visibilitychange', ({ timeStamp }) => {
      if (document.visibilityState === 'hidden') load.hide(timeStamp)
    }),
  )
  return {
    collect: () => {
      for (const { flush } of observations) flush()
      return load.collect()
    },
    stop,
  }
}

/**
 * The vitals of one load. Paints after the page was hidden are ignored, because their time depends on
 * when the user returns.
 */
function startLoad(id: string, hiddenFrom: number, onChange: () => void) {
  const values: Partial<Record<Name, number>> = {}
  let reported: typeof values = {}
  const shifts = createLayoutShiftScore()
  const interactions = createInteractionScore()
  const countBefore = countOf(performance, 0)
  let hiddenAt = hiddenFrom
  const set = (name: Name, value: number | undefined): void => {
    if (value === undefined) return
    const precision = name === 'CLS' ? 1e4 : 10
    values[name] = Math.round(value * precision) / precision
    onChange()
  }
  return {
    set,
    paint: (name: Name, time: number, since: (time: number) => number): void => {
      if (time >= hiddenAt) return
      set(name, since(time))
      if (name === 'FCP' && canShift()) set('CLS', shifts.value())
    },
    shift: (entry: LayoutShift): void => {
      shifts.add(entry)
      set('CLS', shifts.value())
    },
    interact: (entry: EventTiming): void => {
      interactions.add(entry)
      set('INP', interactions.value(countOf(performance, countBefore ?? 0)))
    },
    hide: (at: number): void => {
      hiddenAt = Math.min(hiddenAt, at)
    },
    collect: (): Vital[] => {
      const changed = (Object.keys(values) as Name[]).filter(
        (name) => values[name] !== reported[name],
      )
      reported = { ...values }
      return changed.map((name) => ({ name, value: values[name] ?? 0, id: `${id}-${name}` }))
    },
  }
}

type Navigation = PerformanceNavigationTiming & { activationStart?: number }

const navigation = (): Navigation | undefined =>
  performance.getEntriesByType('navigation')[0] as Navigation | undefined

/** Returns the number of interactions beyond `before`; undefined if the browser does not count them. */
const countOf = (
  { interactionCount }: { interactionCount?: number },
  before: number,
): number | undefined => (interactionCount === undefined ? undefined : interactionCount - before)

const canShift = (): boolean =>
  PerformanceObserver.supportedEntryTypes?.includes('layout-shift') ?? false

/**
 * Returns the time at which the page was first in the background. A page that is prerendered is not in
 * the background.
 */
function firstHidden(): number {
  const activation = navigation()?.activationStart ?? 0
  const known = performance
    .getEntriesByType('visibility-state')
    .find(({ name, startTime }) => name === 'hidden' && startTime >= activation)
  if (known) return known.startTime
  return document.visibilityState === 'hidden' ? 0 : Number.POSITIVE_INFINITY
}
