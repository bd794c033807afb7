import { sql } from 'kysely'
import { describe, expect, inject, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createLog } from '../log.ts'
import { openDatabase, pingDatabase } from './db.ts'

const other = testDatabase()

async function withPool(size: number, run: (db: typeof other) => Promise<void>): Promise<void> {
  const db = openDatabase({
    server: inject('postgres'),
    pool_size: size,
    prepared_statements: true,
    log: createLog('silent'),
  })
  try {
    await run(db)
  } finally {
    await db.destroy()
  }
}

const backendOf = async (db: typeof other): Promise<number> => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return rows[0]?.pid ?? 0
}

const terminate = async (pid: number): Promise<void> => {
  await sql`select pg_terminate_backend(${pid}, 5000)`.execute(other)
}

describe('a connection that breaks', () => {
  it('while it is lent out and idle costs its transaction and nothing else', async () => {
    await withPool(1, async (db) => {
      const broken = db.transaction().execute(async (tx) => {
        await terminate(await backendOf(tx))
        await sql`select 1`.execute(tx)
      })
      await expect(broken).rejects.toThrow(/terminat|not queryable/i)
      await pingDatabase(db)
    })
  })

  it('in the middle of a statement costs that statement and nothing else', async () => {
    await withPool(2, async (db) => {
      const statement = sql`select pg_sleep(30)`.execute(db)
      const failed = expect(statement).rejects.toThrow(/terminat/)
      const sleeping = sql<{ pid: number }>`
        select pid from pg_stat_activity where query like 'select pg_sleep(30)%'`
      let pid: number | undefined
      while (pid === undefined) pid = (await sleeping.execute(other)).rows[0]?.pid
      await terminate(pid)
      await failed
      await pingDatabase(db)
    })
  })

  it('while nobody uses it is replaced', async () => {
    await withPool(1, async (db) => {
      const first = await backendOf(db)
      await terminate(first)
      expect(await backendOf(db).catch(async () => await backendOf(db))).not.toBe(first)
    })
  })
})

describe('values', () => {
  it('of 64-bit integers are numbers, of timestamps dates, of JSON objects', async () => {
    const { rows } = await sql`
      select 9007199254740991::bigint as large, count(*) as counted,
        '2026-01-02T03:04:05.678Z'::timestamptz as at, '{"a": [1]}'::json as json
      from (values (1), (2)) as pair`.execute(other)
    expect(rows).toEqual([
      {
        large: 9_007_199_254_740_991,
        counted: 2,
        at: new Date('2026-01-02T03:04:05.678Z'),
        json: { a: [1] },
      },
    ])
  })
})
