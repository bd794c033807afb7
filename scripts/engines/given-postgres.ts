/** PostgreSQL servers that are not started by the tests: `npm run test:cells -- --url postgres://… --url postgres://…`. */
import { Client } from 'pg'
import type { PostgresAddress } from '../../src/platform/postgres/embedded/place.ts'

export type GivenPostgres = {
  address: PostgresAddress
  release(): void
  stopped(): Promise<void>
}

/** Where further cells are; undefined without a second server. */
export function givenCellServer(): Omit<PostgresAddress, 'database'> | undefined {
  const given = process.env['TEST_CELL_POSTGRES_URL']
  return given === undefined ? undefined : serverOf(given)
}

const serverOf = (given: string): Omit<PostgresAddress, 'database'> => {
  const url = new URL(given)
  return {
    host: url.searchParams.get('host') ?? url.hostname,
    port: Number(url.port || '5432'),
    user: decodeURIComponent(url.username),
  }
}

export const isGiven = (): boolean => process.env['TEST_POSTGRES_URL'] !== undefined

/**
 * Creates an empty database, which is dropped at the end. The account needs the right to create databases, and no
 * password unless PGPASSWORD has it, because tests name servers by address and account.
 */
export async function givenPostgres(): Promise<GivenPostgres | undefined> {
  const given = process.env['TEST_POSTGRES_URL']
  if (given === undefined) return undefined
  const database = `vigil_test_template_${process.pid}`
  const run = async (text: string) => {
    const admin = new Client({ connectionString: given })
    await admin.connect()
    try {
      await admin.query(text)
    } finally {
      await admin.end()
    }
  }
  await run(`create database ${database} template template0`)
  return {
    address: { ...serverOf(given), database },
    release: () => undefined,
    stopped: async () => {
      await run(`drop database ${database} with (force)`)
      await run(`drop database if exists ${database}_whole with (force)`)
    },
  }
}
