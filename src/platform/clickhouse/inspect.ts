/** Reads facts about an analytics engine for `vigil doctor`, without changing anything. */
import type { Log } from '../log.ts'
import type { Migration } from '../postgres/migrate.ts'
import { type ClickHouse, type ClickHouseAddress, createClickHouse } from './client.ts'
import { type ClusterFacts, inspectCluster } from './inspect-cluster.ts'
import { pendingAnalyticsMigrations, tablesOf } from './migrate.ts'

export type EngineFacts = {
  /** For example `26.7.2.1`. */
  version: string
  bytes_on_disk: number
  /** Names of the migrations that have not been applied. */
  pending: string[]
  /** Number of table parts that the engine found damaged at its start and detached. */
  damaged_parts: number
  cluster?: ClusterFacts
}

/** @throws EngineUnavailable, EngineRefusal, or OperatorError if the database is newer than Vigil */
export async function inspectEngine(options: {
  address: ClickHouseAddress
  migrations: readonly Migration[]
  cluster?: string | undefined
  timeout_ms: number
  log: Log
}): Promise<EngineFacts> {
  const { address, migrations, cluster, timeout_ms, log } = options
  const at = (database: string): ClickHouse =>
    createClickHouse({ address: () => Promise.resolve({ ...address, database }), timeout_ms, log })
  // The configured database may not exist yet, but this one always does.
  const server = at('default')
  const clickhouse = at(address.database)
  try {
    const rows = await server.query<Omit<EngineFacts, 'pending' | 'cluster'>>(
      `select version() as version,
         (select sum(bytes_on_disk) from system.parts
          where active and database = {database:String}) as bytes_on_disk,
         (select count() from system.detached_parts
          where database = {database:String} and startsWith(reason, 'broken')) as damaged_parts`,
      { database: address.database },
    )
    const pending = await pendingAnalyticsMigrations(clickhouse, migrations)
    const facts = rows[0] ?? { version: '', bytes_on_disk: 0, damaged_parts: 0 }
    const where = { database: address.database, tables: tablesOf(migrations) }
    return {
      ...facts,
      pending: pending.map(({ name }) => name),
      ...(cluster !== undefined && {
        cluster: await inspectCluster(server, { ...where, cluster }),
      }),
    }
  } finally {
    await Promise.all([server.close(), clickhouse.close()])
  }
}
