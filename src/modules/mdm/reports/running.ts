/**
 * How many exports run at once: each holds a page, and a reader may take its time. Counted in the
 * process, whose memory it is.
 */
import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { tooManyRequests } from '../../../platform/http/errors.ts'

export type Exports = {
  /**
   * From now until the response ends, however it does.
   *
   * @throws AppError 429 when as many run as may
   */
  begin(orgId: string, response: ServerResponse): void
}

/** Of all organisations together. */
const RUNNING_MAX = 8
const RETRY_AFTER_S = 10

export function createExports(
  { mdm_exports_max }: { mdm_exports_max: number },
  runningMax = RUNNING_MAX,
): Exports {
  const running = new Map<string, number>()
  let all = 0
  const count = (orgId: string, change: 1 | -1): void => {
    all += change
    const left = (running.get(orgId) ?? 0) + change
    if (left === 0) running.delete(orgId)
    else running.set(orgId, left)
  }
  return {
    begin: (orgId, response) => {
      if (all >= runningMax || (running.get(orgId) ?? 0) >= mdm_exports_max) {
        throw tooManyRequests(RETRY_AFTER_S)
      }
      count(orgId, 1)
      finished(response, () => count(orgId, -1))
    },
  }
}
