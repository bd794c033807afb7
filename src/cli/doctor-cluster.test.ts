import { expect, it } from 'vitest'
import type { ClusterFacts } from '../platform/clickhouse/inspect-cluster.ts'
import { judgeCluster } from './doctor-cluster.ts'

const HOSTS = ['a1:9000', 'a2:9000', 'b1:9000', 'b2:9000']
const place = (index: number) => ({ shard: 1 + Math.floor(index / 2), replica: 1 + (index % 2) })
const healthy = (): ClusterFacts => ({
  configured: HOSTS.map((host, index) => ({ ...place(index), host, internal_replication: 1 })),
  macros: HOSTS.map((host, index) => ({ host, shard: `s${place(index).shard}`, replica: host })),
  keepers: 4,
  tables: HOSTS.flatMap((host) => [
    { host, name: 'logs', engine: 'Distributed', is_sharded_by_organization: 1 },
    { host, name: 'logs_local', engine: 'ReplicatedMergeTree', is_sharded_by_organization: 0 },
  ]),
  replicas: HOSTS.map((host) => ({ host, name: 'logs_local', is_readonly: 0, delay_seconds: 2 })),
})
const judge = (facts: ClusterFacts) => judgeCluster('main', facts, ['logs'])

it('finds no fault in a complete cluster, and none in one without tables', () => {
  expect(judge(healthy())).toMatchObject({
    ok: true,
    detail: '2 shards, 4 replicas, with all tables',
  })
  expect(judge({ ...healthy(), tables: [], replicas: [] })).toMatchObject({
    ok: true,
    detail: '2 shards, 4 replicas, no tables yet',
  })
})

const change = <T>(list: T[], index: number, part: Partial<T>): T[] =>
  list.map((each, at) => (at === index ? { ...each, ...part } : each))

it.each<[string, (facts: ClusterFacts) => Partial<ClusterFacts>]>([
  ['the server knows no cluster main', () => ({ configured: [] })],
  ['3 of 4 replicas respond', ({ macros }) => ({ macros: macros.slice(0, 3), keepers: 3 })],
  [
    'shard 2 has internal_replication disabled',
    ({ configured }) => ({ configured: change(configured, 2, { internal_replication: 0 }) }),
  ],
  [
    'a2:9000 lacks the macro shard or replica',
    ({ macros }) => ({ macros: change(macros, 1, { replica: '' }) }),
  ],
  [
    'several replicas have the same macros',
    ({ macros }) => ({ macros: change(macros, 1, { replica: 'a1:9000' }) }),
  ],
  [
    'the macros name 3 shards, and the cluster 2',
    ({ macros }) => ({ macros: change(macros, 3, { shard: 's3' }) }),
  ],
  ['not every replica is connected to a Keeper', () => ({ keepers: 3 })],
  ['logs is not on a1:9000', ({ tables }) => ({ tables: tables.slice(1) })],
  ['logs_local is not on b2:9000', ({ tables }) => ({ tables: tables.slice(0, -1) })],
  [
    'logs on a1:9000 is not sharded by organization',
    ({ tables }) => ({ tables: change(tables, 0, { is_sharded_by_organization: 0 }) }),
  ],
  [
    'logs_local on a2:9000 is read-only',
    ({ replicas }) => ({ replicas: change(replicas, 1, { is_readonly: 1 }) }),
  ],
  [
    'logs_local on b1:9000 is 4000 s behind',
    ({ replicas }) => ({ replicas: change(replicas, 2, { delay_seconds: 4000 }) }),
  ],
])('reports that %s', (detail, broken) => {
  const facts = healthy()
  expect(judge({ ...facts, ...broken(facts) })).toMatchObject({ ok: false, detail })
})
