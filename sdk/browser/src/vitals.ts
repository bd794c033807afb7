/**
 * The web vitals of a page load by the definitions of https://web.dev/articles/vitals. Values are
 * asked for when a batch goes out and told again, under the same id, when they have changed since.
 */
import { listen, type Observation, observe, type Stop } from './hooks.ts'
import { createInteractionScore, type EventTiming } from './interactions.ts'
import { createLayoutShiftScore, type LayoutShift } from './layout-shift.ts'
import type { RumEvent } from './types.ts'

export type Vital = NonNullable<RumEvent['vital']>
type Name = Vital['name']

/** The least that browsers report of event timings is 16; below 40 an interaction feels instant. */
const INTERACTION_MS_MIN = 40

export type Vitals = {
  /** What is new or has changed since it was last asked. */
  collect: () => Vital[]
  stop: Stop
}

/**
 * `onChange` says that there is something to collect, `onRestore` that the page came back from the
 * back/forward cache, which counts as another page load.
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
    // The browser itself ends the series at the first input.
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
    // After two frames, what was restored has been painted.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const now = performance.now()
        for (const name of ['FCP', 'LCP'] as const) {
          restored.paint(name, now, (time) => time - timeStamp)
        }
      }),
    )
  }
  const stops = [
    listen<PageTransitionEvent>(window, 'pageshow', restore),
    listen(document, 'visibilitychange', ({ timeStamp }) => {
      if (document.visibilityState === 'hidden') load.hide(timeStamp)
    }),
  ]
  return {
    collect: () => {
      for (const { flush } of observations) flush()
      return load.collect()
    },
    stop: () => {
      for (const { stop } of observations) stop()
      for (const stop of stops) stop()
    },
  }
}

/** The vitals of one load. What is painted after the page was hidden tells when somebody looked. */
function startLoad(id: string, hiddenFrom: number, onChange: () => void) {
  const values: Partial<Record<Name, number>> = {}
  let told: typeof values = {}
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
      const changed = (Object.keys(values) as Name[]).filter((name) => values[name] !== told[name])
      told = { ...values }
      return changed.map((name) => ({ name, value: values[name] ?? 0, id: `${id}-${name}` }))
    },
  }
}

type Navigation = PerformanceNavigationTiming & { activationStart?: number }

const navigation = (): Navigation | undefined =>
  performance.getEntriesByType('navigation')[0] as Navigation | undefined

/** Since an instant when it had counted `before`; undefined where the browser does not count. */
const countOf = (
  { interactionCount }: { interactionCount?: number },
  before: number,
): number | undefined => (interactionCount === undefined ? undefined : interactionCount - before)

const canShift = (): boolean =>
  PerformanceObserver.supportedEntryTypes?.includes('layout-shift') ?? false

/**
 * When the page was first in the background: what is painted after that tells when somebody looked.
 * A page that is prepared before it is asked for is not in the background.
 */
function firstHidden(): number {
  const activation = navigation()?.activationStart ?? 0
  const known = performance
    .getEntriesByType('visibility-state')
    .find(({ name, startTime }) => name === 'hidden' && startTime >= activation)
  if (known) return known.startTime
  return document.visibilityState === 'hidden' ? 0 : Number.POSITIVE_INFINITY
}
