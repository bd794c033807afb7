/** Reads all tables of the schema in one snapshot, while other connections go on writing. */
import type { Client } from 'pg'
import { copyOut } from './copy.ts'

export type TableShape = {
  name: string
  /** Without generated columns, which are computed again. */
  columns: string[]
  is_partitioned: boolean
}

export type Partition = {
  name: string
  parent: string
  /** For example `FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')`. */
  bound: string
  /** For example `RANGE (id)`; null unless it has partitions itself. */
  key: string | null
  /** Storage parameters, for example `fillfactor=80`. */
  options?: string | null
}

export type DumpShape = {
  /** Time of the snapshot, by the clock of the server. */
  taken_at: Date
  tables: TableShape[]
  /** Parents come before their partitions. */
  partitions: Partition[]
  sequences: { name: string; last_value: string | null }[]
  migrations: { name: string; checksum: string }[]
  /** Ids of the master keys without which the sealed values cannot be opened. */
  master_key_ids: string[]
}

/** The format of values does not depend on the settings of the role or the server. */
const SETTINGS = [
  'statement_timeout = 0',
  'lock_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
  "datestyle = 'ISO'",
  "intervalstyle = 'postgres'",
  "timezone = 'UTC'",
  "bytea_output = 'hex'",
  'extra_float_digits = 1',
  // Parallel workers would take cores from the service.
  'max_parallel_workers_per_gather = 0',
]

/** For the transaction that has begun. */
export async function setForCopy(client: Client): Promise<void> {
  await client.query(SETTINGS.map((setting) => `set local ${setting}`).join('; '))
}

/**
 * Runs `read` in a transaction that sees what was committed when it began, and nothing else. Tables are
 * locked against changes of their form only.
 */
export async function inSnapshot<T>(
  client: Client,
  read: (shape: DumpShape) => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ name: string }>(TABLES)
  if (rows.length === 0) throw new Error('the database has no tables')
  await client.query('begin transaction isolation level repeatable read, read only')
  try {
    await setForCopy(client)
    // The lock takes no snapshot, so the snapshot is younger than the lock.
    const names = rows.map(({ name }) => quoted(name)).join(', ')
    await client.query(`lock table ${names} in access share mode`)
    return await read(await readShape(client))
  } finally {
    await client.query('rollback').catch(() => undefined)
  }
}

/** @param onRow receives each row in memory that is reused after the call */
export async function readTable(
  client: Client,
  { name, columns, is_partitioned }: TableShape,
  onRow: (row: Buffer) => Promise<void> | undefined,
): Promise<number> {
  const list = columns.map(quoted).join(', ')
  const source = is_partitioned
    ? `(select ${list} from ${quoted(name)})`
    : `${quoted(name)} (${list})`
  return await copyOut(client, `copy ${source} to stdout`, onRow)
}

/** Names come from the catalog, and are part of statements that take no parameters. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Unlogged tables are left out: the server empties them after a crash, too. */
const TABLES = `
  select c.relname as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition and c.relpersistence = 'p'
    and (c.relkind = 'r' or not exists (select from pg_inherits i where i.inhparent = c.oid)
      or exists (select from pg_partition_tree(c.oid) t join pg_class l on l.oid = t.relid
        where t.isleaf and l.relpersistence = 'p'))
  order by c.relname`

async function readShape(client: Client): Promise<DumpShape> {
  const all = async <Row extends object>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text)).rows
  const [time] = await all<{ taken_at: Date }>('select clock_timestamp() as taken_at')
  if (!time) throw new Error('the server returned no time')
  return {
    ...time,
    tables: await all(`
      select c.relname as name, c.relkind = 'p' as is_partitioned,
        array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relname in (${TABLES})
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      group by c.relname, c.relkind order by c.relname`),
    partitions: await all(`
      select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound,
        pg_get_partkeydef(c.oid) as key,
        array_to_string(c.reloptions, ', ') as options
      from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
      where c.relnamespace = current_schema()::regnamespace and c.relispartition
        and c.relkind in ('r', 'p') and c.relpersistence = 'p'
      order by (select count(*) from pg_partition_ancestors(c.oid)), c.relname`),
    sequences: await all(`
      select sequencename::text as name, last_value::text as last_value from pg_sequences
      where schemaname = current_schema() order by sequencename`),
    migrations: await all('select name, checksum from schema_migrations order by name'),
    master_key_ids: (
      await all<{ id: string }>('select distinct master_key_id as id from data_keys order by id')
    ).map(({ id }) => id),
  }
}
