/** Gauges of what all parts stand on: the build, the database, its server, and the disk. */
import { statfs } from 'node:fs/promises'
import { cached } from '../platform/cached.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import type { Database } from '../platform/postgres/db.ts'
import {
  listStandbyLag,
  listTableBytes,
  readActivity,
  readDatabaseBytes,
  readWalBytes,
  readWalPosition,
} from '../platform/postgres/figures.ts'
import {
  createPartitionsAhead,
  type DividedTable,
  divideTables,
  listTablesWithoutPartition,
  readDivisions,
} from '../platform/postgres/partitions/index.ts'
import { DAY_MS, MINUTE_SECONDS } from '../platform/time-units.ts'
import { type Core, inMain } from './core.ts'
import { dividedTables } from './divided-tables.ts'
import { job, type Part } from './part.ts'
import { VERSION } from './version.ts'

const ACTIVITY_EVERY_MS = 10_000
/** The server reads the size of every file from the file system. */
const SIZES_EVERY_MS = 60_000
const PARTITIONS_EVERY_SECONDS = 20 * MINUTE_SECONDS

export function createInstallationPart(core: Core): Part {
  // The directory can be apart from the main cell.
  const handles = [...new Set([core.db, ...inMain(core, [core.directory])])]
  const tables = dividedTables(core.config)
  const widths = Object.fromEntries(tables.map(({ table, width }) => [table, width]))
  return {
    jobs: [
      job('partitions', PARTITIONS_EVERY_SECONDS, async (now) => {
        for (const db of handles) await createPartitionsAhead(db, now, widths)
      }),
      job('partitions.divide', MINUTE_SECONDS, async (_now, signal) => {
        for (const db of handles) await divideTables(db, tables, signal)
      }),
    ],
    gauges: [
      partitionGauges(core, handles, tables),
      poolGauges(core),
      connectionGauges(core),
      ...inMain(core, [buildGauges, diskGauges(core)]),
      readinessGauges(core),
      errorGauges(core),
      ...serverGauges(core),
    ],
  }
}

const buildGauges: GaugeOptions<string> = {
  label: 'version',
  gauges: { vigil_build_info: 'The version that runs; always 1' },
  read: () => Promise.resolve([{ label: VERSION, values: { vigil_build_info: 1 } }]),
}

const readinessGauges = ({ readiness }: Core): GaugeOptions<string> => ({
  gauges: { vigil_database_writable: 'Whether the database responds and accepts writes (1 or 0)' },
  read: async () => [
    { values: { vigil_database_writable: (await readiness()) === 'ready' ? 1 : 0 } },
  ],
})

function partitionGauges(
  { clock }: Core,
  handles: readonly Database[],
  tables: readonly DividedTable[],
): GaugeOptions<string> {
  const values = cached(async () => {
    const tomorrow = new Date(clock.now().getTime() + DAY_MS)
    const read = handles.map(async (db) => ({
      missing: await listTablesWithoutPartition(db, tomorrow),
      undivided: (await readDivisions(db, tables)).filter(({ state }) => state !== 'divided'),
    }))
    const all = await Promise.all(read)
    const undivided = all.flatMap((one) => one.undivided)
    return {
      vigil_partitions_missing: all.flatMap(({ missing }) => missing).length,
      vigil_partitions_undivided: undivided.length,
      vigil_partitions_undivided_bytes: undivided.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  }, SIZES_EVERY_MS)
  return {
    gauges: {
      vigil_partitions_missing:
        'Tables without a partition for rows of the next day, which then share one that is never dropped',
      vigil_partitions_undivided:
        'Tables of an earlier version that are not divided into partitions yet',
      vigil_partitions_undivided_bytes:
        'Size of the tables that are not divided into partitions yet',
    },
    read: async () => [{ values: await values() }],
  }
}

const poolGauges = ({ database_watch }: Core): GaugeOptions<string> => {
  const gauges = {
    vigil_database_pool_waiting: 'Callers that wait for a connection of the pool',
    vigil_database_pool_max: 'Maximum number of connections of the pool',
    vigil_database_pool_acquired_total: 'Connections handed out by the pool',
    vigil_database_pool_wait_seconds_total: 'Time that callers waited for a connection',
  }
  return {
    gauges,
    sums: ['vigil_database_pool_waiting', 'vigil_database_pool_max'],
    counters: ['vigil_database_pool_acquired_total', 'vigil_database_pool_wait_seconds_total'],
    read: () => {
      const { waiting, connections, acquired, waited_seconds } = database_watch.read()
      const values = {
        vigil_database_pool_waiting: waiting,
        vigil_database_pool_max: connections.max,
        vigil_database_pool_acquired_total: acquired,
        vigil_database_pool_wait_seconds_total: waited_seconds,
      }
      return Promise.resolve([{ values }])
    },
  }
}

const connectionGauges = ({ database_watch }: Core): GaugeOptions<string> => ({
  label: 'state',
  gauges: { vigil_database_pool_connections: 'Open connections of the pool, by state' },
  sums: ['vigil_database_pool_connections'],
  read: () => {
    const { busy, idle } = database_watch.read().connections
    return Promise.resolve(
      Object.entries({ busy, idle }).map(([label, count]) => ({
        label,
        values: { vigil_database_pool_connections: count },
      })),
    )
  },
})

const errorGauges = ({ database_watch }: Core): GaugeOptions<string> => ({
  label: 'kind',
  gauges: { vigil_database_errors_total: 'Errors of database statements and connections' },
  counters: ['vigil_database_errors_total'],
  read: () =>
    Promise.resolve(
      Object.entries(database_watch.read().errors).map(([label, count]) => ({
        label,
        values: { vigil_database_errors_total: count },
      })),
    ),
})

function serverGauges({ db }: Core): GaugeOptions<string>[] {
  const activity = cached(() => readActivity(db), ACTIVITY_EVERY_MS)
  const tables = cached(() => listTableBytes(db), SIZES_EVERY_MS)
  return [
    {
      gauges: {
        vigil_postgres_connections: 'Client connections of the server, of all its databases',
        vigil_postgres_connections_max: 'Maximum number of connections of the server',
        vigil_postgres_waiting_for_locks: 'Connections that wait for a lock',
        vigil_postgres_oldest_transaction_seconds: 'Age of the oldest open transaction',
        vigil_postgres_deadlocks: 'Deadlocks since the statistics of the server were reset',
      },
      read: async () => {
        const now = await activity()
        const values = {
          vigil_postgres_connections: now.connections,
          vigil_postgres_connections_max: now.connections_max,
          vigil_postgres_waiting_for_locks: now.waiting_for_locks,
          vigil_postgres_oldest_transaction_seconds: now.oldest_transaction_seconds,
          vigil_postgres_deadlocks: now.deadlocks,
        }
        return [{ values }]
      },
    },
    bytesGauge('vigil_postgres_database_bytes', 'Size of the database', {
      read: async () => await readDatabaseBytes(db),
      every_ms: SIZES_EVERY_MS,
    }),
    bytesGauge('vigil_postgres_wal_bytes', 'Size of the write-ahead log on the disk', {
      read: async () => await readWalBytes(db),
      every_ms: ACTIVITY_EVERY_MS,
    }),
    bytesGauge('vigil_postgres_wal_position_bytes', 'Bytes ever written to the write-ahead log', {
      read: async () => await readWalPosition(db),
      every_ms: ACTIVITY_EVERY_MS,
    }),
    standbyGauges(db),
    {
      label: 'table',
      gauges: { vigil_postgres_table_bytes: 'Size of a table with its indexes and partitions' },
      read: async () =>
        (await tables()).map(({ name, bytes }) => ({
          label: name,
          values: { vigil_postgres_table_bytes: bytes },
        })),
    },
  ]
}

/** Names of standbys are few, and known to the operator, who chose them. */
function standbyGauges(db: Core['db']): GaugeOptions<string> {
  const lag = cached(() => listStandbyLag(db), ACTIVITY_EVERY_MS)
  return {
    label: 'standby',
    gauges: {
      vigil_postgres_standby_lag_bytes:
        'Bytes of the write-ahead log that a standby has not replayed yet',
      vigil_postgres_standby_lag_seconds: 'Time by which a standby is behind, as it last reported',
    },
    read: async () =>
      (await lag()).map(({ name, bytes, seconds }) => ({
        label: name,
        values: {
          vigil_postgres_standby_lag_bytes: bytes,
          vigil_postgres_standby_lag_seconds: seconds,
        },
      })),
  }
}

function bytesGauge(
  name: string,
  help: string,
  { read, every_ms }: { read: () => Promise<number>; every_ms: number },
): GaugeOptions<string> {
  const bytes = cached(read, every_ms)
  return { gauges: { [name]: help }, read: async () => [{ values: { [name]: await bytes() } }] }
}

const diskGauges = ({ data_dir }: Core): GaugeOptions<string> => ({
  gauges: {
    vigil_disk_free_bytes: 'Free space on the disk of the data directory',
    vigil_disk_size_bytes: 'Size of the disk of the data directory',
  },
  read: async () => {
    const { bavail, blocks, bsize } = await statfs(data_dir)
    const values = { vigil_disk_free_bytes: bavail * bsize, vigil_disk_size_bytes: blocks * bsize }
    return [{ values }]
  },
})
