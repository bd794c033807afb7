/** What the doctor wants to know of an analytics engine. Nothing is changed by looking. */

import type { Log } from '../log.ts'
import type { Migration } from '../postgres/migrate.ts'
import { type ClickHouse, type ClickHouseAddress, createClickHouse } from './client.ts'
import { pendingAnalyticsMigrations } from './migrate.ts'

export type EngineFacts = {
  /** Like `26.7.2.1`. */
  version: string
  bytes_on_disk: number
  /** Names of the migrations that this version has and the database has not. */
  pending: string[]
  /** Pieces of tables that the engine found damaged when it started, and put aside. */
  damaged_parts: number
}

/** @throws EngineAway, EngineRefusal, or OperatorError when the database is ahead of this program */
export async function inspectEngine(options: {
  address: ClickHouseAddress
  migrations: readonly Migration[]
  timeout_ms: number
  log: Log
}): Promise<EngineFacts> {
  const { address, migrations, timeout_ms, log } = options
  const at = (database: string): ClickHouse =>
    createClickHouse({ address: () => Promise.resolve({ ...address, database }), timeout_ms, log })
  // The database may not be there yet; this one always is.
  const server = at('default')
  const clickhouse = at(address.database)
  try {
    const rows = await server.query<Omit<EngineFacts, 'pending'>>(
      `select version() as version,
         (select sum(bytes_on_disk) from system.parts
          where active and database = {database:String}) as bytes_on_disk,
         (select count() from system.detached_parts
          where database = {database:String} and startsWith(reason, 'broken')) as damaged_parts`,
      { database: address.database },
    )
    const pending = await pendingAnalyticsMigrations(clickhouse, migrations)
    const facts = rows[0] ?? { version: '', bytes_on_disk: 0, damaged_parts: 0 }
    return { ...facts, pending: pending.map(({ name }) => name) }
  } finally {
    await Promise.all([server.close(), clickhouse.close()])
  }
}
