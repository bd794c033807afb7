import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { createLog } from '../log.ts'
import { packageRoot } from '../package-root.ts'
import { readMigrations } from '../postgres/migrate.ts'
import { createClickHouse } from './client.ts'
import { migrationsTable, statementsFor } from './cluster.ts'
import { clusterQueries } from './inspect-cluster.ts'
import { tablesOf } from './migrate.ts'
import { statementsOf } from './sql-text.ts'

const ALONE = { database: 'vigil', cluster: undefined, retention_days: 30 }
const CLUSTER = { ...ALONE, cluster: 'main' }
const SHIPPED = readMigrations(join(packageRoot(), 'migrations', 'clickhouse'))

const TABLE = `
-- Rows; of organizations.
create table if not exists things (
  org_id UUID,
  id UUID,
  note String default 'engine = MergeTree',
  index note_words note type text(tokenizer = splitByNonAlpha)
)
engine = MergeTree
order by (org_id, id)
ttl toDateTime(at) + toIntervalDay({retention_days})
settings non_replicated_deduplication_window = 100, fsync_after_insert = 1;`

describe('statements of a migration', () => {
  it('are unchanged on a single server, except for the settings', () => {
    expect(statementsFor(TABLE, ALONE)).toEqual([
      statementsOf(TABLE)[0]?.replace('{retention_days}', '30'),
    ])
  })

  it('create a replicated and a distributed table on a cluster', () => {
    expect(statementsFor(TABLE, CLUSTER)).toEqual([
      `create table if not exists things_local on cluster \`main\` (
  org_id UUID,
  id UUID,
  note String default 'engine = MergeTree',
  index note_words note type text(tokenizer = splitByNonAlpha)
)
engine = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
order by (org_id, id)
ttl toDateTime(at) + toIntervalDay(30)
settings replicated_deduplication_window = 100, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1`,
      `create table if not exists things on cluster \`main\` as things_local
engine = Distributed('main', 'vigil', 'things_local', cityHash64(org_id))`,
    ])
  })

  it('keep the arguments of a special engine', () => {
    const [local] = statementsFor(
      'create table if not exists t (id UUID, v UInt8) engine = ReplacingMergeTree(v) order by id',
      CLUSTER,
    )
    expect(local).toContain(
      "ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}', v)",
    )
  })

  it('change columns in both tables and indexes only in the local one', () => {
    expect(statementsFor('alter table t add column if not exists a UInt8', CLUSTER)).toEqual([
      'alter table t_local on cluster `main` add column if not exists a UInt8',
      'alter table t on cluster `main` add column if not exists a UInt8',
    ])
    expect(statementsFor('alter table t drop index if exists i', CLUSTER)).toEqual([
      'alter table t_local on cluster `main` drop index if exists i',
    ])
  })

  it('without a known cluster form are refused', () => {
    expect(() => statementsFor('optimize table t', CLUSTER)).toThrow('No cluster form is known')
  })
})

const openClickHouse = () =>
  createClickHouse({
    address: () => Promise.resolve(inject('clickhouse')),
    timeout_ms: 15_000,
    log: createLog('fatal'),
  })

const REPEATABLE =
  /^(?:CREATE TABLE IF NOT EXISTS|ALTER TABLE [^(]*\(ADD (?:INDEX|COLUMN) IF NOT EXISTS)/

describe('the shipped migrations', () => {
  it('delete expired rows by whole partitions of a day', () => {
    const created = SHIPPED.flatMap(({ text }) => statementsOf(text)).filter((statement) =>
      statement.startsWith('create table'),
    )
    expect(created).toHaveLength(2)
    for (const statement of created) {
      expect(statement).toMatch(/\bpartition by (?:received_on|toDate\(received_at\))\n/)
      expect(statement).toMatch(/\bttl toDateTime\(received_at\) \+ toIntervalDay\(/)
      expect(statement).toContain('ttl_only_drop_parts = 1')
    }
  })

  it('are repeatable', () => {
    for (const statement of SHIPPED.flatMap(({ text }) => statementsOf(text))) {
      expect(statement).toMatch(
        /^(?:create table if not exists|alter table .* if (?:not )?exists)/i,
      )
    }
  })

  it('have the questions of the doctor in valid SQL', async () => {
    const where = { cluster: 'main', database: 'vigil', tables: tablesOf(SHIPPED) }
    const clickhouse = openClickHouse()
    for (const sql of Object.values(clusterQueries(where))) {
      const found = await clickhouse.query(`select formatQuery({sql:String}) as text`, { sql })
      expect(found).toHaveLength(1)
    }
    await clickhouse.close()
  })

  it('are valid SQL in both forms', async () => {
    const clickhouse = openClickHouse()
    for (const form of [ALONE, CLUSTER]) {
      const all = SHIPPED.flatMap(({ text }) => statementsFor(text, form))
      for (const sql of [...all, migrationsTable(form)]) {
        const [row] = await clickhouse.query<{ text: string }>(
          'select formatQuery({sql:String}) as text',
          { sql },
        )
        expect(row?.text).toMatch(REPEATABLE)
        if (form.cluster !== undefined) {
          expect(row?.text).toMatch(/ ON CLUSTER main\b/)
          expect(row?.text).toMatch(
            /ENGINE = (?:ReplicatedMergeTree|Distributed)\(|^ALTER TABLE (?:edge_logs_local|rum_events(?:_local)?) /,
          )
          expect(row?.text).not.toContain('non_replicated')
        }
      }
    }
    await clickhouse.close()
  })
})
