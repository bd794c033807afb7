import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import type { Db } from './db.ts'
import { lastStatement } from './dialect.ts'

const db = ownDatabase()

const insert = (id: number) => sql`insert into numbers (id) values (${id})`
const insertLast = async (tx: Db, id: number) => await lastStatement(insert(id)).execute(tx)
async function stored(): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from numbers order by id`.execute(db)
  return rows.map(({ id }) => id)
}

describe('a COMMIT that is sent with the last statement', () => {
  it('commits everything, or nothing if the last statement fails', async () => {
    await sql`create table numbers (id integer primary key)`.execute(db)
    await db.transaction().execute(async (tx) => {
      await insert(1).execute(tx)
      await insertLast(tx, 2)
    })
    expect(await stored()).toEqual([1, 2])

    const failed = db.transaction().execute(async (tx) => {
      await insert(3).execute(tx)
      await insertLast(tx, 1)
    })
    await expect(failed).rejects.toMatchObject({ code: '23505' })
    expect(await stored()).toEqual([1, 2])
  })

  it('refuses a statement after it and leaves the connection usable', async () => {
    const late = db.transaction().execute(async (tx) => {
      await insertLast(tx, 10)
      await insert(11).execute(tx)
    })
    await expect(late).rejects.toThrow('after the last one')
    expect(await stored()).not.toContain(11)
    await db.transaction().execute(async (tx) => await insertLast(tx, 12))
    expect(await stored()).toContain(12)
  })

  it('has completed when the transaction ends, also if the commit fails', async () => {
    await sql`create table parents (id integer primary key)`.execute(db)
    await sql`create table children (id integer references parents deferrable initially deferred)`.execute(
      db,
    )
    const orphan = db
      .transaction()
      .execute(async (tx) => await lastStatement(sql`insert into children values (7)`).execute(tx))
    await expect(orphan).rejects.toMatchObject({ code: '23503' })
    const { rows } = await sql`select * from children`.execute(db)
    expect(rows).toEqual([])
  })

  it('has no effect outside of a transaction', async () => {
    await insertLast(db, 20)
    expect(await stored()).toContain(20)
  })
})
