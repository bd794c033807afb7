/** Compares what clients received with what the database contains. */
import { sql } from 'kysely'
import { createLog } from '../../src/platform/log.ts'
import { type Database, openDatabase } from '../../src/platform/postgres/db.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/server.ts'

export type Books = {
  checks: number
  /** Event ids whose stored check differs from the one that the client received. */
  wrong_checks: string[]
  /** Checks that do not have exactly one usage row, or exactly one event. */
  wrong_usage: string[]
  wrong_events: string[]
  /** Number of usage rows and events without a check. */
  orphans: number
}

/**
 * @param acknowledged check ids by event id; exactly these checks must exist
 * @param schema of the cell, by default the main one
 */
export const readBooks = async (
  dataDir: string,
  acknowledged: Map<string, string>,
  schema?: string,
): Promise<Books> => await withDatabase(dataDir, (db) => compare(db, acknowledged), schema)

/** Runs the database of a data directory for the duration of the work. */
export async function withDatabase<T>(
  dataDir: string,
  work: (db: Database) => Promise<T>,
  schema?: string,
): Promise<T> {
  const server = await startEmbeddedPostgres({ data_dir: dataDir, progress: () => undefined })
  const db = openDatabase({
    server: server.address,
    pool_size: 2,
    prepared_statements: true,
    schema,
    log: createLog('silent'),
  })
  try {
    return await work(db)
  } finally {
    await db.destroy()
    server.release()
    await server.stopped()
  }
}

/** The lists of an audit that are not empty. */
export const findingsOf = (lists: Record<string, readonly unknown[]>) =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))

/** Rows with an empty event id are usage or events without a check. */
type Row = { id: string; event_id: string; result_id: string; usages: number; events: number }

async function compare(db: Database, acknowledged: Map<string, string>): Promise<Books> {
  const { rows: all } = await sql<Row>`
    with usages as (
      select unnest(coalesce(source_ids, array[source_id])) as id, count(*) as count
      from usage_events group by 1),
    completed as (
      select (body::json -> 'data' ->> 'check_id')::uuid as id, count(*) as count
      from events where type = 'email.check.completed' group by 1)
    select checks.id, coalesce(request ->> 'event_id', '') as event_id, result ->> 'check_id' as result_id,
      coalesce(usages.count, 0) as usages, coalesce(completed.count, 0) as events
    from checks full join usages using (id) full join completed using (id)`.execute(db)
  const rows = all.filter(({ event_id }) => event_id !== '')
  const isRight = ({ id, event_id, result_id }: Row) =>
    id === result_id && acknowledged.get(event_id) === id
  const found = new Set(rows.map(({ event_id }) => event_id))
  return {
    checks: rows.length,
    wrong_checks: [
      ...rows.filter((row) => !isRight(row)).map(({ event_id }) => event_id),
      ...[...acknowledged.keys()].filter((eventId) => !found.has(eventId)),
    ],
    wrong_usage: rows.filter(({ usages }) => usages !== 1).map(({ id }) => id),
    wrong_events: rows.filter(({ events }) => events !== 1).map(({ id }) => id),
    orphans: all.length - rows.length,
  }
}
