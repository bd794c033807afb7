/** Records one page: observes it and passes events to the outbox. */
import { cut, describeError, textOf, watchErrors } from './errors.ts'
import { guard, listen, type Stop, stopAll } from './hooks.ts'
import { createJournal, type Journal, newId, type Place } from './journal.ts'
import { createBurstFilter } from './limits.ts'
import { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts'
import { watchLongTasks, watchResources } from './performance.ts'
import type { Store } from './storage.ts'
import { createBatchStore } from './stored-batches.ts'
import { describeTarget } from './targets.ts'
import type { LogLevel, RumEvent, RumHandle, RumOptions } from './types.ts'
import { watchViews } from './views.ts'
import { watchVitals } from './vitals.ts'

export type Recorder = Omit<RumHandle, 'setConsent'> & {
  /** Stops recording and removes its data from the storage of the browser. */
  forget: () => void
}

const FLUSH_MS = 10_000
const FLUSH_MS_MIN = 5_000
const FLUSH_MS_MAX = 30_000
const TEXT_MAX = 2_000
const TARGET_MAX = 200

/**
 * `isFromStart` is false when consent was given later. Earlier performance entries are then not
 * observed, and the vitals of this page load, which depend on them, are not recorded.
 */
export function startRecorder(
  options: RumOptions,
  store: Store,
  isFromStart: boolean,
  onForbidden: () => void,
): Recorder {
  const url = `${options.base_url.replace(/\/+$/, '')}/rum/events`
  const outbox = openOutbox(options, store, { url, beforeFlush: guard(beforeFlush), onForbidden })
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

  const isNew = createBurstFilter()
  const onError = (error: NonNullable<RumEvent['error']>): void => {
    const key = `${error.type}${error.message}${error.stack}`
    if (isNew(key, Date.now())) journal.record('error', { error })
  }
  const action = (type: string, target?: string): void =>
    journal.record('action', {
      action: { type, ...(target ? { target: cut(target, TARGET_MAX) } : {}) },
    })
  const log = (level: LogLevel, message: string): void =>
    journal.record('log', { log: { level, message: cut(textOf(message), TEXT_MAX) } })
  const halt = stopAll(
    views.stop,
    vitals?.stop,
    watchErrors(onError),
    watchPage(journal, url, isFromStart),
    watchLifecycle(outbox),
    listen<MouseEvent>(document, 'click', ({ target }) =>
      action('click', describeTarget(target as Element)),
    ),
  )
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
  own: Pick<OutboxOptions, 'url' | 'beforeFlush' | 'onForbidden'>,
): Outbox {
  return createOutbox({
    ...own,
    url: `${own.url}?api_key=${encodeURIComponent(api_key)}`,
    flush_ms: Math.min(Math.max(flush_ms, FLUSH_MS_MIN), FLUSH_MS_MAX),
    stored: createBatchStore(store),
    // Bound now, because the page may wrap it later and record the requests of the SDK.
    send: fetch.bind(window),
    beacon: (address, body) => navigator.sendBeacon?.(address, body) ?? false,
    isOnline: () => navigator.onLine,
    now: () => performance.now(),
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
  return stopAll(
    resources.stop,
    tasks.stop,
    listen(document, 'keydown', prolong),
    listen(document, 'scroll', prolong),
  )
}

/** A hidden page may receive no further event, because phones terminate pages in the background. */
const watchLifecycle = ({ leave, wake, flush }: Outbox): Stop =>
  stopAll(
    listen(document, 'visibilitychange', () =>
      document.visibilityState === 'hidden' ? leave() : wake(),
    ),
    listen(window, 'pagehide', leave),
    listen(window, 'online', flush),
  )
