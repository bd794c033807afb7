/** Reads what PostgreSQL knows about itself. No query reads the rows of a table of ours. */
import { sql } from 'kysely'
import type { Db } from './db.ts'

export type ServerActivity = {
  /** Client connections of all databases of the server. */
  connections: number
  connections_max: number
  waiting_for_locks: number
  oldest_transaction_seconds: number
  deadlocks: number
}

export async function readActivity(db: Db): Promise<ServerActivity> {
  const { rows } = await sql<ServerActivity>`
    select count(*) as connections,
      current_setting('max_connections')::integer as connections_max,
      count(*) filter (where wait_event_type = 'Lock') as waiting_for_locks,
      coalesce(extract(epoch from clock_timestamp() - min(xact_start)
        filter (where datname = current_database() and pid <> pg_backend_pid())), 0)::float8
        as oldest_transaction_seconds,
      (select deadlocks from pg_stat_database where datname = current_database()) as deadlocks
    from pg_stat_activity where backend_type = 'client backend'`.execute(db)
  return onlyRow(rows)
}

/** The server reads the size of each file from its file system; a table has a few files. */
export async function readDatabaseBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database()) as bytes`.execute(db)
  return onlyRow(rows).bytes
}

/** Partitions are added to their table. Includes indexes and TOAST. */
export async function listTableBytes(db: Db): Promise<{ name: string; bytes: number }[]> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select root.relname as name, sum(pg_total_relation_size(part.oid))::bigint as bytes
    from pg_class part
    join pg_class root on root.oid = coalesce(pg_partition_root(part.oid), part.oid)
    where part.relkind in ('r', 'p') and part.relnamespace = current_schema()::regnamespace
    group by root.relname order by root.relname`.execute(db)
  return rows
}

/**
 * Bytes in files of the write-ahead log.
 * @throws Error for an account that is neither a superuser nor a member of `pg_monitor`
 */
export async function readWalBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size), 0)::bigint as bytes from pg_ls_waldir()`.execute(db)
  return onlyRow(rows).bytes
}

/** Position in the write-ahead log: how many bytes the server has ever written to it. */
export async function readWalPosition(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
      else pg_current_wal_lsn() end, '0/0')::bigint as bytes`.execute(db)
  return onlyRow(rows).bytes
}

export type StandbyLag = { name: string; bytes: number; seconds: number }

/**
 * Returns how far each standby is behind, by its name. Several with one name count as the one that is
 * furthest behind. The times are null, and so 0, while nothing is written.
 */
export async function listStandbyLag(db: Db): Promise<StandbyLag[]> {
  const { rows } = await sql<StandbyLag>`
    select application_name as name,
      max(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
        else pg_current_wal_lsn() end, replay_lsn))::float8 as bytes,
      coalesce(max(extract(epoch from replay_lag)), 0)::float8 as seconds
    from pg_stat_replication where replay_lsn is not null
    group by application_name order by application_name`.execute(db)
  return rows
}

function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the server returned no row')
  return row
}
