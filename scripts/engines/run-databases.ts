/**
 * Fresh databases for one test run, so that many runs can share the engines. No run sees the data of
 * another, and the data of a run is dropped with its databases.
 */
import { randomBytes } from 'node:crypto'
import {
  type ClickHouse,
  type ClickHouseAddress,
  createClickHouse,
} from '../../src/platform/clickhouse/client.ts'
import { onCluster } from '../../src/platform/clickhouse/cluster.ts'
import { ensureDatabase, migrateAnalytics } from '../../src/platform/clickhouse/migrate.ts'
import { createLog } from '../../src/platform/log.ts'
import type { PostgresAddress } from '../../src/platform/postgres/embedded/place.ts'
import { copyDatabase, TIMEOUT_MS, withMaintenance } from './copy-database.ts'
import { type Engines, migrationsOf } from './engines.ts'
import { givenClickHouse, givenCluster } from './given-clickhouse.ts'

export type RunDatabases = {
  postgres: PostgresAddress
  clickhouse: ClickHouseAddress
  /** Also drops the databases that tests created under names derived from that of the run. */
  drop(): Promise<void>
}

/** Long enough for test data that is dated years back. */
const RETENTION_DAYS = 3650
/** The process id distinguishes a killed run from one that still needs its databases. */
const RUN_NAME = /^test_run_(\d+)_/

export async function createRunDatabases(engines: Engines): Promise<RunDatabases> {
  const name = `test_run_${process.pid}_${randomBytes(4).toString('hex')}`
  const drop = () => dropDatabases(engines, (found) => found.startsWith(name))
  await dropDatabases(engines, isAbandoned)
  await copyDatabase(engines.postgres, name)
  const clickhouse = { ...serverOf(engines), database: name }
  await migrateClickHouse(engines, clickhouse)
  return { postgres: { ...engines.postgres, database: name }, clickhouse, drop }
}

async function migrateClickHouse(engines: Engines, address: ClickHouseAddress): Promise<void> {
  const cluster = givenCluster()
  const form = { database: address.database, cluster, retention_days: RETENTION_DAYS }
  await withClickHouse({ ...serverOf(engines), database: 'default' }, async (admin) => {
    await withClickHouse(address, async (clickhouse) => {
      await ensureDatabase(clickhouse, admin, form)
      await migrateAnalytics(clickhouse, migrationsOf('clickhouse'), form)
    })
  })
}

async function dropDatabases(
  engines: Engines,
  isUnwanted: (name: string) => boolean,
): Promise<void> {
  await withMaintenance(engines.postgres, async (admin) => {
    const { rows } = await admin.query<{ datname: string }>('select datname from pg_database')
    for (const name of rows.map(({ datname }) => datname).filter(isUnwanted)) {
      await admin.query(`drop database if exists ${name} with (force)`)
    }
  })
  await withClickHouse({ ...serverOf(engines), database: 'default' }, async (admin) => {
    const rows = await admin.query<{ name: string }>('select name from system.databases')
    for (const name of rows.map((row) => row.name).filter(isUnwanted)) {
      await admin.command(`drop database if exists ${name}${onCluster(givenCluster())} sync`)
    }
  })
}

const serverOf = ({ clickhouse }: Engines): Omit<ClickHouseAddress, 'database'> =>
  givenClickHouse() ?? clickhouse

/** Whether both engines accept a query within the timeout. */
export async function areEnginesReachable(engines: Engines): Promise<boolean> {
  const [postgres, clickhouse] = await Promise.all([
    withMaintenance(engines.postgres, async (admin) => void (await admin.query('select 1'))).then(
      () => true,
      () => false,
    ),
    withClickHouse({ ...engines.clickhouse, database: 'default' }, ({ ping }) => ping()),
  ])
  return postgres && clickhouse
}

function isAbandoned(name: string): boolean {
  const pid = RUN_NAME.exec(name)?.[1]
  return pid !== undefined && !isRunning(Number(pid))
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

async function withClickHouse<T>(
  address: ClickHouseAddress,
  work: (clickhouse: ClickHouse) => Promise<T>,
): Promise<T> {
  const clickhouse = createClickHouse({
    address: () => Promise.resolve(address),
    timeout_ms: TIMEOUT_MS,
    log: createLog('fatal'),
  })
  try {
    return await work(clickhouse)
  } finally {
    await clickhouse.close()
  }
}
