/**
 * Runs the statements of a migration one by one, outside of a transaction, so that indexes are built and
 * rows are changed while the tables are in use. Statements are separated by blank lines. Each can run
 * again, because an interrupted migration begins from its start.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import type { Database, Db } from './db.ts'

const MARK = '-- online'
/** A statement that waits for a table makes all later ones wait behind it, so it gives up and tries again. */
const LOCK_TIMEOUT_MS = 2000
const RETRY_PAUSE_MS = 1000
const ATTEMPTS_MAX = 120
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
/** The steps of the migrations that divide a table by time. A node that starts must not wait for a large table. */
const DIVISION = /^select (?:bound|verify|attach)_first_partition\('(\w+)'/m
/** As in `divide_small_table` of migration 0067. */
const SMALL_TABLE_BYTES = 33_554_432

export const isOnline = (text: string): boolean => text.startsWith(MARK)

/** The parts of a migration that a transaction can run one after the other, on empty tables. */
export const partsForTransaction = (text: string): string[] =>
  isOnline(text)
    ? statementsOf(text).map((statement) => statement.replaceAll(/\bconcurrently\b/gi, ''))
    : [text]

export async function applyOnline(db: Database, text: string): Promise<void> {
  for (const statement of statementsOf(text)) {
    if (!(await isLeftToTheService(db, statement))) await applyStatement(db, statement)
  }
}

/** The service divides large tables after its start (src/platform/postgres/partitions/division.ts). */
async function isLeftToTheService(db: Database, statement: string): Promise<boolean> {
  const table = DIVISION.exec(statement)?.[1]
  if (table === undefined) return false
  const { rows } = await sql<{ is_large: boolean }>`
    select pg_table_size(to_regclass(${table})) > ${SMALL_TABLE_BYTES} as is_large`.execute(db)
  return rows[0]?.is_large === true
}

/** Parts without any line of SQL are comments. */
const statementsOf = (text: string): string[] =>
  text.split(/\n\s*\n/).filter((part) => part.split('\n').some((line) => /^\s*[^\s-]/.test(line)))

async function applyStatement(db: Database, statement: string): Promise<void> {
  // An index that is built concurrently blocks no other statement while it waits.
  const lockTimeoutMs = /^\s*(create|drop).*\bconcurrently\b/im.test(statement)
    ? 0
    : LOCK_TIMEOUT_MS
  for (let attempt = 1; ; attempt += 1) {
    try {
      await withLimits(db, lockTimeoutMs, async (connection) => {
        await connection.executeQuery(CompiledQuery.raw(statement))
      })
      return
    } catch (error) {
      const { code } = error as { code?: unknown }
      const isLocked = code === LOCK_NOT_AVAILABLE || code === DEADLOCK
      if (!isLocked || attempt === ATTEMPTS_MAX) throw error
      await pause(RETRY_PAUSE_MS)
    }
  }
}

/**
 * The limits are those of the connection, because there is no transaction; they are restored. Without a
 * limit of statements, a pooler may share the connection with others, which is left as it is.
 */
async function withLimits(
  db: Database,
  lockTimeoutMs: number,
  work: (connection: Db) => Promise<void>,
): Promise<void> {
  await db.connection().execute(async (connection) => {
    const { rows } = await sql<{ statements: string; locks: string }>`
      select current_setting('statement_timeout') as statements,
        current_setting('lock_timeout') as locks`.execute(connection)
    const [before] = rows
    if (before === undefined || before.statements === '0') {
      await work(connection)
      return
    }
    const limit = async (statements: string, locks: string) =>
      await sql`select set_config('statement_timeout', ${statements}, false),
        set_config('lock_timeout', ${locks}, false)`.execute(connection)
    await limit('0', `${lockTimeoutMs}ms`)
    try {
      await work(connection)
    } finally {
      await limit(before.statements, before.locks)
    }
  })
}
