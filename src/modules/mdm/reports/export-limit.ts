/**
 * Limits the exports that run at the same time, because each holds a page in memory until its reader
 * has received it. Every process counts its own, as the limit protects its memory.
 */
import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { tooManyRequests } from '../../../platform/http/errors.ts'

export type ExportLimit = {
  /**
   * Counts an export until its response ends or fails.
   *
   * @throws AppError 429 when the limit is reached
   */
  begin(orgId: string, response: ServerResponse): void
}

/** Exports of all organizations together. */
const RUNNING_MAX = 8
const RETRY_AFTER_S = 10

export function createExportLimit(
  { mdm_exports_max }: { mdm_exports_max: number },
  runningMax = RUNNING_MAX,
): ExportLimit {
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
