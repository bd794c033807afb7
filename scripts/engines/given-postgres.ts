/** A PostgreSQL server that was started for tests by someone else: `npm run test:cells -- --url postgres://…`. */
import { Client } from 'pg'
import type { PostgresAddress } from '../../src/platform/postgres/embedded/place.ts'

export type GivenPostgres = {
  address: PostgresAddress
  release(): void
  stopped(): Promise<void>
}

export const isGiven = (): boolean => process.env['TEST_POSTGRES_URL'] !== undefined

/**
 * Creates an empty database, which is dropped at the end. The account needs the right to create databases, and no
 * password unless PGPASSWORD has it, because tests name servers by address and account.
 */
export async function givenPostgres(): Promise<GivenPostgres | undefined> {
  const given = process.env['TEST_POSTGRES_URL']
  if (given === undefined) return undefined
  const url = new URL(given)
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
    address: {
      host: url.searchParams.get('host') ?? url.hostname,
      port: Number(url.port || '5432'),
      user: decodeURIComponent(url.username),
      database,
    },
    release: () => undefined,
    stopped: async () => await run(`drop database ${database} with (force)`),
  }
}
