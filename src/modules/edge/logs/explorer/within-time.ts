/** Limits the time of queries for which a person waits. */
import type { ClickHouse } from '../../../../platform/clickhouse/client.ts'
import { isTransient } from '../../../../platform/clickhouse/errors.ts'
import { AppError } from '../../../../platform/http/errors.ts'
import type { LogReader } from '../reading/store.ts'

const TIMEOUT_MS = 15_000

/** Reports a timeout with advice of its own, because the engine is not unavailable then. */
export function withinTime(
  clickhouse: Pick<ClickHouse, 'query'>,
  timeout_ms: number = TIMEOUT_MS,
): LogReader {
  return {
    query: async (sql, params) => {
      const start = performance.now()
      try {
        return await clickhouse.query(sql, params, { timeout_ms })
      } catch (error) {
        if (!isTransient(error) || performance.now() - start < timeout_ms) throw error
        const message = `The query took longer than ${timeout_ms / 1000} seconds; choose a shorter time range`
        throw new AppError(500, { message })
      }
    },
  }
}
