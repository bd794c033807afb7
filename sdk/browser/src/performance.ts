/** Observes the requests and the long tasks of the page. */
import { type Observation, observe } from './hooks.ts'
import type { RumEvent } from './types.ts'
import { plainUrl } from './urls.ts'

/** @param isOwn recognizes the requests of the SDK, which are not reported */
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
          // Both are 0 for requests to another origin that does not expose them.
          ...(responseStatus ? { status: responseStatus } : {}),
          ...(transferSize ? { size_bytes: transferSize } : {}),
        },
        startTime,
      )
    },
    { buffered },
  )
}

/** Observes tasks of 50 ms or more; browsers report no shorter ones. */
export const watchLongTasks = (
  buffered: boolean,
  onTask: (durationMs: number, startTime: number) => void,
): Observation =>
  observe('longtask', ({ duration, startTime }) => onTask(Math.round(duration), startTime), {
    buffered,
  })
