/** Judges the facts about a cluster of ClickHouse that `vigil doctor` collects. */
import type { ClusterFacts } from '../platform/clickhouse/inspect-cluster.ts'
import { type Finding, fault, good } from './doctor-findings.ts'

const CHECK = 'ClickHouse cluster'
const ADVICE = 'See "A cluster" in docs/operate/analytics.md'
const DELAY_MAX_SECONDS = 300

/** @param expected names of the tables of Vigil, without those on the shards */
export function judgeCluster(
  cluster: string,
  facts: ClusterFacts,
  expected: readonly string[],
): Finding {
  const { configured, macros } = facts
  if (configured.length === 0) {
    return fault(CHECK, new Error(`the server knows no cluster ${cluster}`), ADVICE)
  }
  const faults = [
    ...serverFaults(facts),
    ...(facts.tables.length === 0 ? [] : tableFaults(facts, expected)),
  ]
  if (faults.length > 0) return fault(CHECK, new Error(faults.join('; ')), ADVICE)
  const shards = new Set(configured.map(({ shard }) => shard)).size
  const tables = facts.tables.length === 0 ? 'no tables yet' : 'with all tables'
  return good(CHECK, `${shards} shards, ${macros.length} replicas, ${tables}`)
}

function serverFaults({ configured, macros, keepers }: ClusterFacts): string[] {
  const pairs = new Set(macros.map(({ shard, replica }) => JSON.stringify([shard, replica])))
  const unset = macros.filter(({ shard, replica }) => shard === '' || replica === '')
  const doubled = configured.find(({ internal_replication }) => internal_replication === 0)
  const perShard = new Set(macros.map(({ shard }) => shard)).size
  const shards = new Set(configured.map(({ shard }) => shard)).size
  const all = macros.length === configured.length
  return [
    ...(all ? [] : [`${macros.length} of ${configured.length} replicas respond`]),
    ...(doubled ? [`shard ${doubled.shard} has internal_replication disabled`] : []),
    ...unset.map(({ host }) => `${host} lacks the macro shard or replica`),
    ...(pairs.size < macros.length ? ['several replicas have the same macros'] : []),
    ...(all && unset.length === 0 && perShard !== shards
      ? [`the macros name ${perShard} shards, and the cluster ${shards}`]
      : []),
    ...(keepers < macros.length ? ['not every replica is connected to a Keeper'] : []),
  ]
}

function tableFaults(
  { macros, tables, replicas }: ClusterFacts,
  expected: readonly string[],
): string[] {
  const missing = macros.flatMap(({ host }) =>
    expected.flatMap((name) => {
      const engineOf = (table: string) =>
        tables.find((each) => each.host === host && each.name === table)?.engine ?? ''
      return [
        ...(engineOf(name) === 'Distributed' ? [] : [`${name} is not on ${host}`]),
        ...(engineOf(`${name}_local`).startsWith('Replicated')
          ? []
          : [`${name}_local is not on ${host}`]),
      ]
    }),
  )
  const sharded = tables.filter(
    ({ engine, is_sharded_by_organization: is }) => engine === 'Distributed' && is === 0,
  )
  return [
    ...missing,
    ...sharded.map(({ name, host }) => `${name} on ${host} is not sharded by organization`),
    ...replicas.flatMap(({ host, name, is_readonly, delay_seconds }) => [
      ...(is_readonly === 0 ? [] : [`${name} on ${host} is read-only`]),
      ...(delay_seconds <= DELAY_MAX_SECONDS
        ? []
        : [`${name} on ${host} is ${delay_seconds} s behind`]),
    ]),
  ]
}
