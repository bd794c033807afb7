/** What is recorded of one page while it may be: watches it, and hands what happened to the outbox. */
import { cut, describeError, textOf, watchErrors } from './errors.ts'
import { guard, listen, type Stop } from './hooks.ts'
import { createJournal, type Journal, newId, type Place } from './journal.ts'
import { createBurstFilter } from './limits.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { watchLongTasks, watchResources } from './performance.ts'
import { createShelf } from './shelf.ts'
import type { Store } from './storage.ts'
import { describeTarget } from './targets.ts'
import type { LogLevel, RumEvent, RumOptions } from './types.ts'
import { watchViews } from './views.ts'
import { watchVitals } from './vitals.ts'

export type Recorder = {
  view: (name: string) => void
  action: (type: string, target?: string) => void
  error: (error: unknown) => void
  log: (level: LogLevel, message: string) => void
  flush: () => void
  stop: () => void
  /** Stops, and removes what is in the browser's storage. */
  forget: () => void
}

const FLUSH_MS = 10_000
const FLUSH_MS_MIN = 5_000
const FLUSH_MS_MAX = 30_000
const TEXT_MAX = 2_000
const TARGET_MAX = 200

/**
 * `isFromStart` is false when consent came later: what happened before is then not asked for, and the
 * vitals of this page load, which need its beginning, are left out.
 */
export function startRecorder(
  options: RumOptions,
  store: Store,
  isFromStart: boolean,
  onForbidden: () => void,
): Recorder {
  const url = `${options.base_url.replace(/\/+$/, '')}/rum/events`
  const outbox = openOutbox(options, store, url, guard(beforeFlush), onForbidden)
  const views = watchViews((view) => journal.record('view', { view }))
  const journal = createJournal(options, store, views.current, outbox.push)
  const land = (): Place => {
    const session = journal.prolong(true)
    views.begin()
    return { session, view: views.current() }
  }
  let landing = land()
  const vitals = isFromStart
    ? watchVitals(newId, outbox.wake, () => {
        landing = land()
      })
    : undefined
  function beforeFlush(): void {
    for (const vital of vitals?.collect() ?? []) journal.recordAt(landing, 'vital', { vital })
    const count = outbox.takeDropped()
    if (count > 0) log('warn', `Vigil RUM dropped ${count} events`)
  }

  const isNews = createBurstFilter()
  const onError = (error: NonNullable<RumEvent['error']>): void => {
    const key = `${error.type}${error.message}${error.stack}`
    if (isNews(key, Date.now())) journal.record('error', { error })
  }
  const action = (type: string, target?: string): void =>
    journal.record('action', {
      action: { type, ...(target ? { target: cut(target, TARGET_MAX) } : {}) },
    })
  const log = (level: LogLevel, message: string): void =>
    journal.record('log', { log: { level, message: cut(textOf(message), TEXT_MAX) } })
  const stops = [
    views.stop,
    vitals?.stop,
    watchErrors(onError),
    watchPage(journal, url, isFromStart),
    watchLife(outbox),
    listen<MouseEvent>(document, 'click', ({ target }) =>
      action('click', describeTarget(target as Element)),
    ),
  ]
  const halt = (): void => stops.forEach((stop) => stop?.())
  return {
    view: views.begin,
    action,
    error: (error) => onError(describeError(error)),
    log,
    flush: outbox.flush,
    stop: () => {
      outbox.leave()
      halt()
    },
    forget: () => {
      halt()
      outbox.forget()
      store.remove('session')
    },
  }
}

function openOutbox(
  { api_key, flush_ms = FLUSH_MS }: RumOptions,
  store: Store,
  url: string,
  beforeFlush: () => void,
  onForbidden: () => void,
): Outbox {
  return createOutbox({
    url: `${url}?api_key=${encodeURIComponent(api_key)}`,
    flush_ms: Math.min(Math.max(flush_ms, FLUSH_MS_MIN), FLUSH_MS_MAX),
    shelf: createShelf(store),
    // As it is now: the page may wrap it later and record the requests of the SDK.
    send: fetch.bind(window),
    beacon: (address, body) => navigator.sendBeacon?.(address, body) ?? false,
    isOnline: () => navigator.onLine,
    now: () => performance.now(),
    beforeFlush,
    onForbidden,
  })
}

function watchPage(journal: Journal, ownUrl: string, isFromStart: boolean): Stop {
  const resources = watchResources(
    isFromStart,
    (url) => url.startsWith(ownUrl),
    (resource, startTime) => journal.join('resource', { resource }, startTime),
  )
  const tasks = watchLongTasks(isFromStart, (duration_ms, startTime) =>
    journal.join('long_task', { long_task: { duration_ms } }, startTime),
  )
  const prolong = (): void => void journal.prolong()
  const stops = [
    resources.stop,
    tasks.stop,
    listen(document, 'keydown', prolong),
    listen(document, 'scroll', prolong),
  ]
  return () => stops.forEach((stop) => stop())
}

/** When a page is hidden it may be the last that it hears: phones end pages in the background. */
function watchLife({ leave, wake, flush }: Outbox): Stop {
  const stops = [
    listen(document, 'visibilitychange', () =>
      document.visibilityState === 'hidden' ? leave() : wake(),
    ),
    listen(window, 'pagehide', leave),
    listen(window, 'online', flush),
  ]
  return () => stops.forEach((stop) => stop())
}
