import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { insertsOf, rowFor, type Writer } from './rows.ts'

const db = testDatabase()

it('a writer reads a table, and not what another writer with the name of the table writes', async () => {
  const named: Writer<number> = { name: 'pg_class', write: () => sql`select 1 as number` }
  const reader: Writer<number> = {
    name: 'reader',
    write: () => sql`select relname from pg_class limit 1`,
  }
  const items = insertsOf([rowFor(named, 1), rowFor(reader, 1)] as Parameters<typeof insertsOf>[0])
  const { rows } = await sql`with ${sql.join(items)} select * from write_reader`.execute(db)
  expect(rows).toEqual([{ relname: expect.any(String) as unknown }])
})
