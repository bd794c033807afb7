/** Requests of the page and the tasks that kept it from answering. */
import { type Observation, observe } from './hooks.ts'
import type { RumEvent } from './types.ts'
import { plainUrl } from './urls.ts'

/** `isOwn` says which requests are those of the SDK. */
export function watchResources(
  buffered: boolean,
  isOwn: (url: string) => boolean,
  onResource: (resource: NonNullable<RumEvent['resource']>, startTime: number) => void,
): Observation {
  return observe<PerformanceResourceTiming>(
    'resource',
    ({ name, startTime, initiatorType, duration, responseStatus, transferSize }) => {
      if (isOwn(name) || !/^https?:/.test(name)) return
      onResource(
        {
          url: plainUrl(name, name),
          initiator: initiatorType,
          duration_ms: Math.round(duration),
          // Both are 0 when another origin does not let them be known.
          ...(responseStatus ? { status: responseStatus } : {}),
          ...(transferSize ? { size_bytes: transferSize } : {}),
        },
        startTime,
      )
    },
    { buffered },
  )
}

/** Tasks of 50 ms and more: the browser reports no shorter ones. */
export const watchLongTasks = (
  buffered: boolean,
  onTask: (durationMs: number, startTime: number) => void,
): Observation =>
  observe('longtask', ({ duration, startTime }) => onTask(Math.round(duration), startTime), {
    buffered,
  })
