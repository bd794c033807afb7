/** Reads facts about a cluster for `vigil doctor`, from each replica that responds, without changing anything. */
import type { ClickHouse } from './client.ts'
import { localName, SHARDING_KEY } from './cluster.ts'
import { textLiteral } from './sql-text.ts'

export type ClusterFacts = {
  /** As the server that was asked knows it; empty if it knows no cluster of this name. */
  configured: { shard: number; replica: number; host: string; internal_replication: number }[]
  /** Values of the macros of each replica that responds. */
  macros: { host: string; shard: string; replica: string }[]
  /** Connections to a Keeper, of all replicas. */
  keepers: number
  tables: { host: string; name: string; engine: string; is_sharded_by_organization: number }[]
  replicas: { host: string; name: string; is_readonly: number; delay_seconds: number }[]
}

type Where = { cluster: string; database: string; tables: readonly string[] }

const HOST = "concat(hostName(), ':', toString(tcpPort()))"

export function clusterQueries({ cluster, database, tables }: Where) {
  const on = (table: string) => `clusterAllReplicas(${textLiteral(cluster)}, system.${table})`
  const names = tables.flatMap((table) => [table, localName(table, cluster)])
  const ours = `database = ${textLiteral(database)} and name in (${names.map(textLiteral).join(', ')})`
  return {
    configured: `select shard_num as shard, replica_num as replica, host_name as host, internal_replication
      from system.clusters where cluster = ${textLiteral(cluster)} order by 1, 2`,
    macros: `select ${HOST} as host, anyIf(substitution, macro = 'shard') as shard,
        anyIf(substitution, macro = 'replica') as replica
      from ${on('macros')} group by host order by host`,
    keepers: `select count() as keepers from ${on('zookeeper_connection')}`,
    tables: `select ${HOST} as host, name, engine,
        position(engine_full, ${textLiteral(SHARDING_KEY)}) > 0 as is_sharded_by_organization
      from ${on('tables')} where ${ours} order by host, name`,
    replicas: `select ${HOST} as host, table as name, is_readonly, absolute_delay as delay_seconds
      from ${on('replicas')} where ${ours.replace('name in', 'table in')} order by host, name`,
  }
}

/** Replicas that do not respond are left out of the answers. */
const REACHABLE = ' settings skip_unavailable_shards = 1'

export async function inspectCluster(server: ClickHouse, where: Where): Promise<ClusterFacts> {
  const sql = clusterQueries(where)
  const configured = await server.query<ClusterFacts['configured'][number]>(sql.configured)
  if (configured.length === 0) {
    return { configured, macros: [], keepers: 0, tables: [], replicas: [] }
  }
  const [macros, tables, replicas, keepers] = await Promise.all([
    server.query<ClusterFacts['macros'][number]>(sql.macros + REACHABLE),
    server.query<ClusterFacts['tables'][number]>(sql.tables + REACHABLE),
    server.query<ClusterFacts['replicas'][number]>(sql.replicas + REACHABLE),
    // The table does not exist on a server without a Keeper.
    server.query<{ keepers: number }>(sql.keepers + REACHABLE).catch(() => []),
  ])
  return { configured, macros, tables, replicas, keepers: keepers[0]?.keepers ?? 0 }
}
