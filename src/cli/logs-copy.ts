/** `vigil logs copy`: copies logs and RUM events from another analytics engine to that of CLICKHOUSE_URL. */
import { analyticsTables } from '../app/backups.ts'
import type { Stores } from '../app/stores.ts'
import type { Config } from '../config.ts'
import { createClickHouse } from '../platform/clickhouse/client.ts'
import { copyTable } from '../platform/clickhouse/copy-rows.ts'
import type { Place } from '../platform/clickhouse/dump.ts'
import { createEmbeddedClickHouse } from '../platform/clickhouse/embedded/server.ts'
import { addressOf, EMBEDDED_DATABASE, hasEmbeddedData } from '../platform/clickhouse/engine.ts'
import { withStores } from './command.ts'
import { readInputFile } from './input-file.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

type CopyOptions = Options & { fromFile?: string }

export const copyLogs = async (io: Io, { fromFile }: CopyOptions): Promise<Output> => {
  const url = fromFile === undefined ? undefined : readInputFile(io, fromFile).trim()
  if (url !== undefined && !/^https?:\/\//.test(url)) {
    throw new CommandError('The file must have the URL of a ClickHouse server')
  }
  return await withStores(io, async ({ config, stores }) => {
    const { clickhouse_url } = config
    if (clickhouse_url === undefined) {
      throw new CommandError('Set CLICKHOUSE_URL to the server that receives the rows')
    }
    if (url !== undefined && new URL(url).href === new URL(clickhouse_url).href) {
      throw new CommandError('The server of the file is that of CLICKHOUSE_URL')
    }
    await stores.analytics.ready()
    const target = analyticsTables(stores.analytics, config, stores.data_dir)
    if (!target) throw new Error('no target')
    const source = openSource(url, config, stores)
    const copied: Record<string, number> = {}
    try {
      for (const table of target.tables) {
        copied[table] = await copyTable(source.place, target, table)
        io.stderr(`${table}: ${copied[table]} rows`)
      }
    } finally {
      await source.close()
    }
    const total = Object.values(copied).reduce((sum, rows) => sum + rows, 0)
    return { json: { copied }, lines: [`Copied ${total} rows. The source is unchanged`] }
  })
}

function openSource(
  url: string | undefined,
  { clickhouse_memory_mb: memory_mb, clickhouse_threads: threads, ...config }: Config,
  { data_dir, log }: Stores,
): { place: Place; close: () => Promise<void> } {
  if (url === undefined && !hasEmbeddedData(data_dir)) {
    throw new CommandError(
      'The embedded analytics engine has no data; name a server with --from-file',
    )
  }
  const engine =
    url === undefined ? createEmbeddedClickHouse({ data_dir, memory_mb, threads, log }) : undefined
  const database = url === undefined ? EMBEDDED_DATABASE : addressOf(url).database
  const clickhouse = createClickHouse({
    address: async () =>
      engine ? { ...(await engine.address()), database } : addressOf(url ?? ''),
    timeout_ms: config.clickhouse_query_timeout_ms,
    log,
  })
  return {
    // Tables of a source that is a cluster have their sorting key on the shards, so it would need the name of the cluster.
    place: { clickhouse, database, cluster: undefined },
    close: async () => {
      await clickhouse.close()
      await engine?.close()
    },
  }
}
