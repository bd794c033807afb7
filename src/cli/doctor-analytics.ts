/** The doctor's look at the analytics engine: ClickHouse at CLICKHOUSE_URL, or the embedded one. */
import { createRequire } from 'node:module'
import type { Config } from '../config.ts'
import type { ClickHouseAddress } from '../platform/clickhouse/client.ts'
import { createEmbeddedClickHouse } from '../platform/clickhouse/embedded/server.ts'
import { addressOf, EMBEDDED_DATABASE, hasEmbeddedData } from '../platform/clickhouse/engine.ts'
import { inspectEngine } from '../platform/clickhouse/inspect.ts'
import { createLog } from '../platform/log.ts'
import { shippedMigrations } from '../stores.ts'
import {
  type Finding,
  fault,
  good,
  judgeAnalyticsTables,
  judgeAnalyticsVersion,
} from './findings.ts'

const REMOTE = 'ClickHouse'
const EMBEDDED = 'analytics engine'
const REMOTE_TIMEOUT_MS = 3000
/** An engine that was started just now loads its tables first. */
const EMBEDDED_TIMEOUT_MS = 15_000

export async function examineAnalytics(config: Config, dataDir: string): Promise<Finding[]> {
  if (config.clickhouse_url !== undefined) {
    const advice = 'Check CLICKHOUSE_URL, and that the server runs and lets this account in'
    const address = addressOf(config.clickhouse_url)
    return await examine({ check: REMOTE, address, timeoutMs: REMOTE_TIMEOUT_MS, advice })
  }
  if (!hasEmbeddedData(dataDir)) return [unused()]
  return await examineEmbedded(config, dataDir)
}

/** Starting it would make its files. */
function unused(): Finding {
  try {
    createRequire(import.meta.url).resolve('chdb')
    return good(EMBEDDED, 'embedded, not used yet: the first log or event starts it')
  } catch {
    return fault(
      EMBEDDED,
      new Error('the package chdb is missing'),
      'Run `npm ci` without --omit=optional, or set CLICKHOUSE_URL; until then logs and events only wait in PostgreSQL',
    )
  }
}

async function examineEmbedded(config: Config, dataDir: string): Promise<Finding[]> {
  const advice = 'Mend what the message names; docs/operate/analytics.md says more'
  const engine = createEmbeddedClickHouse({
    data_dir: dataDir,
    memory_mb: config.clickhouse_memory_mb,
    threads: config.clickhouse_threads,
    log: createLog('silent'),
  })
  try {
    const address = { ...(await engine.address()), database: EMBEDDED_DATABASE }
    return await examine({ check: EMBEDDED, address, timeoutMs: EMBEDDED_TIMEOUT_MS, advice })
  } catch (error) {
    return [fault(EMBEDDED, error, advice)]
  } finally {
    await engine.close()
  }
}

async function examine(options: {
  check: string
  address: ClickHouseAddress
  timeoutMs: number
  advice: string
}): Promise<Finding[]> {
  const { check, address, timeoutMs, advice } = options
  const migrations = shippedMigrations('clickhouse')
  try {
    const facts = await inspectEngine({
      address,
      migrations,
      timeout_ms: timeoutMs,
      log: createLog('silent'),
    })
    return [judgeAnalyticsVersion(check, facts), judgeAnalyticsTables(facts)]
  } catch (error) {
    return [fault(check, error, advice)]
  }
}
