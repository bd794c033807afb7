/** `vigil doctor` for the analytics engine: ClickHouse at CLICKHOUSE_URL or the embedded engine. */
import { shippedMigrations } from '../app/stores.ts'
import type { Config } from '../config.ts'
import type { ClickHouseAddress } from '../platform/clickhouse/client.ts'
import { isEngineInstalled } from '../platform/clickhouse/embedded/installed.ts'
import { createEmbeddedClickHouse } from '../platform/clickhouse/embedded/server.ts'
import { addressOf, EMBEDDED_DATABASE, hasEmbeddedData } from '../platform/clickhouse/engine.ts'
import { inspectEngine } from '../platform/clickhouse/inspect.ts'
import { tablesOf } from '../platform/clickhouse/migrate.ts'
import { createLog } from '../platform/log.ts'
import { ANALYTICS_ADVICE } from './analytics-advice.ts'
import { judgeCluster } from './doctor-cluster.ts'
import {
  type Finding,
  fault,
  good,
  judgeAnalyticsTables,
  judgeAnalyticsVersion,
} from './doctor-findings.ts'

const REMOTE = 'ClickHouse'
const EMBEDDED = 'analytics engine'
const REMOTE_TIMEOUT_MS = 3000
/** An engine that has just started loads its tables first. */
const EMBEDDED_TIMEOUT_MS = 15_000

export async function examineAnalytics(config: Config, dataDir: string): Promise<Finding[]> {
  if (config.clickhouse_url !== undefined) {
    const advice = 'Check CLICKHOUSE_URL, and that the server is running and accepts this account'
    const address = addressOf(config.clickhouse_url)
    const { clickhouse_cluster: cluster } = config
    const timeoutMs = REMOTE_TIMEOUT_MS
    return await examine({ check: REMOTE, address, timeoutMs, advice, cluster })
  }
  if (!hasEmbeddedData(dataDir)) return [unused()]
  return await examineEmbedded(config, dataDir)
}

/** An unused engine is not started, because starting it would create its files. */
function unused(): Finding {
  if (isEngineInstalled()) {
    return good(EMBEDDED, 'embedded, not used yet; it starts with the first log entry or RUM event')
  }
  return fault(EMBEDDED, new Error('the package chdb is missing'), ANALYTICS_ADVICE)
}

async function examineEmbedded(config: Config, dataDir: string): Promise<Finding[]> {
  const advice = 'Resolve the error above. See docs/operate/analytics.md'
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
  cluster?: string | undefined
}): Promise<Finding[]> {
  const { check, address, timeoutMs, advice, cluster } = options
  const migrations = shippedMigrations('clickhouse')
  const log = createLog('silent')
  try {
    const facts = await inspectEngine({ address, migrations, cluster, timeout_ms: timeoutMs, log })
    return [
      judgeAnalyticsVersion(check, facts),
      judgeAnalyticsTables(facts),
      ...(cluster !== undefined && facts.cluster
        ? [judgeCluster(cluster, facts.cluster, tablesOf(migrations))]
        : []),
    ]
  } catch (error) {
    return [fault(check, error, advice)]
  }
}
