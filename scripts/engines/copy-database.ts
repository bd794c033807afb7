/** Copies a database on the server of the tests. */
import { Client } from 'pg'
import type { PostgresAddress } from '../../src/platform/postgres/embedded/place.ts'
import { isGiven } from './given-postgres.ts'
import { BOTH_SCHEMAS } from './split-directory.ts'

export const TIMEOUT_MS = 15_000

/** @param server with the database to copy, in which only processes of the server itself may have connections */
export async function copyDatabase(server: PostgresAddress, name: string): Promise<void> {
  const { database } = server
  await withMaintenance(server, async (admin) => {
    // The embedded server has no others, and its settings name the schemas.
    if (isGiven()) {
      await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
        [database],
      )
    }
    await admin.query(`create database ${name} template ${database} strategy file_copy`)
    if (isGiven()) await admin.query(`alter database ${name} set search_path = ${BOTH_SCHEMAS}`)
  })
}

/** Connects to the maintenance database, because a template with connections cannot be copied. */
export async function withMaintenance<T>(
  server: PostgresAddress,
  work: (admin: Client) => Promise<T>,
): Promise<T> {
  const timeout = { connectionTimeoutMillis: TIMEOUT_MS }
  const admin = new Client({ ...server, database: 'postgres', ...timeout })
  admin.on('error', () => undefined)
  try {
    await admin.connect()
    return await work(admin)
  } finally {
    await admin.end().catch(() => undefined)
  }
}
