import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import type { Db } from './db.ts'

const db = testDatabase()

/** Prepared statements of this connection as the server lists them. */
const preparedTexts = async (connection: Db): Promise<string[]> => {
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements`.execute(connection)
  return rows.map(({ statement }) => statement)
}

describe('prepared statements', () => {
  it('are created for a text on its third use', async () => {
    await db.connection().execute(async (connection) => {
      const ask = async (value: number) =>
        (await sql<{ sum: number }>`select ${value}::int + 1 as sum`.execute(connection)).rows[0]
          ?.sum
      const text = 'select $1::int + 1 as sum'
      expect(await ask(1)).toBe(2)
      expect(await ask(2)).toBe(3)
      expect(await preparedTexts(connection)).not.toContain(text)
      expect(await ask(3)).toBe(4)
      expect(await ask(4)).toBe(5)
      expect((await preparedTexts(connection)).filter((one) => one === text)).toHaveLength(1)
    })
  })

  it('still work after one of their uses fails', async () => {
    await db.connection().execute(async (connection) => {
      const divide = async (by: number) =>
        (await sql<{ part: number }>`select 12 / ${by}::int as part`.execute(connection)).rows[0]
          ?.part
      for (const by of [1, 2, 3]) expect(await divide(by)).toBe(12 / by)
      await expect(divide(0)).rejects.toThrow('division by zero')
      expect(await divide(4)).toBe(3)
    })
  })

  it('are limited in number for any number of texts', async () => {
    await db.connection().execute(async (connection) => {
      for (let index = 0; index < 450; index += 1) {
        const query = sql`select ${sql.raw(String(index))} as n, ${index}::int as m`
        for (let use = 0; use < 3; use += 1) await query.execute(connection)
      }
      const made = (await preparedTexts(connection)).filter((text) => text.includes('as n,'))
      expect(made.length).toBeGreaterThan(300)
      expect(made.length).toBeLessThanOrEqual(400)
    })
  })
})
