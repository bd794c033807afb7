/** Partitions of a table with rows of several organizations, from the conversion of a filled table on. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { lowestIdAt } from '../../ids.ts'
import { DAY_MS } from '../../time-units.ts'
import { createPartitionsAhead, nextBoundary, widthFor } from './ahead.ts'
import { listPartitions, listTablesWithoutPartition } from './catalog.store.ts'
import { type DividedTable, divideTables, readDivisions } from './division.ts'
import { expirePortion, type Period } from './expiry.ts'

const db = ownDatabase('whole')
const [ours, theirs] = [randomUUID(), randomUUID()]
const run = async (text: string) => await sql.raw(text).execute(db)
const at = (text: string) => new Date(`${text}T00:00:00.000Z`)
const idAt = (time: Date) => lowestIdAt(time.getTime()).replace(/0$/, '1')

const insert = async (table: string, orgId: string, time: Date) =>
  await sql`insert into ${sql.table(table)} (org_id, id, note) values (${orgId}, ${idAt(time)}, 'a')`.execute(
    db,
  )
const namesOf = async (table: string) => (await listPartitions(db, table)).map(({ name }) => name)
const rowsOf = async (table: string) => {
  const { rows } = await sql<{
    rows: number
  }>`select count(*) as rows from ${sql.table(table)}`.execute(db)
  return rows[0]?.rows
}

/** As an older version has created it. */
async function createTable(name: string, width = 'month', rows = 1000): Promise<void> {
  await run(`create table ${name} (org_id uuid not null, id uuid not null,
    note text not null default 'n' check (note <> ''), left_out int, primary key (org_id, id)) with (fillfactor = 80)`)
  await run(`alter table ${name} drop column left_out`)
  await run(`create index ${name}_by_note on ${name} (org_id, note) where note <> 'n'`)
  await run(`create trigger ${name}_append_only before update or delete or truncate on ${name}
    for each statement execute function refuse_change()`)
  await run(
    `insert into ${name} (org_id, id) select '${ours}', new_time_id() from generate_series(1, ${rows})`,
  )
  await run(`select bound_first_partition('${name}', '${width}')`)
  await run(`select verify_first_partition('${name}')`)
  await run(`select attach_first_partition('${name}', '${width}')`)
}

describe('the conversion of a filled table', () => {
  it('keeps rows, checks, indexes, triggers and storage parameters', async () => {
    await createTable('converted')
    for (const step of ['bound_first', 'verify_first', 'attach_first']) {
      await run(
        `select ${step}_partition('converted'${step === 'verify_first' ? '' : ", 'month'"})`,
      )
    }
    expect(await rowsOf('converted')).toBe(1000)
    const [first, second, third, rest] = await namesOf('converted')
    expect([first, rest]).toEqual(['converted_first', 'converted_default'])
    expect([second, third].every((name) => /^converted_from_\d{6}01$/.test(name ?? ''))).toBe(true)
    await expect(run(`delete from converted`)).rejects.toThrow('append-only')
    await expect(insert('converted', '', at('2026-01-01'))).rejects.toThrow()
    await expect(
      sql`insert into converted (org_id, id, note) values (${ours}, ${randomUUID()}, '')`.execute(
        db,
      ),
    ).rejects.toThrow('converted_note_check')
    const { rows } = await sql`
      select indexname::text as index, tablename::text as table from pg_indexes
      where tablename in ('converted', 'converted_first') order by 1`.execute(db)
    expect(rows).toEqual([
      { index: 'converted_by_note', table: 'converted' },
      { index: 'converted_first_by_note', table: 'converted_first' },
      { index: 'converted_first_pkey', table: 'converted_first' },
      { index: 'converted_pkey', table: 'converted' },
    ])
    const options = await sql`select distinct reloptions from pg_class
      where relname ~ '^converted_(first|from|default)' and relkind = 'r'`.execute(db)
    expect(options.rows).toEqual([{ reloptions: ['fillfactor=80'] }])
  })

  it('goes on after an interruption, and moves the boundary on', async () => {
    await run('create table interrupted (org_id uuid, id uuid, primary key (org_id, id))')
    await run(`alter table interrupted add constraint interrupted_is_first
      check (id < lowest_id_at('2020-01-01')) not valid`)
    for (const call of [
      "bound_first_partition('interrupted', 'week')",
      "verify_first_partition('interrupted')",
      "attach_first_partition('interrupted', 'week')",
    ]) {
      await run(`select ${call}`)
    }
    const [first] = await listPartitions(db, 'interrupted')
    expect(first?.to?.getUTCDay()).toBe(1)
    await run(`insert into interrupted values ('${ours}', new_time_id())`)
    expect(await sql`select from only interrupted_first`.execute(db)).toMatchObject({ rows: [{}] })
  })
})

describe('the division of tables by the service', () => {
  const tables: DividedTable[] = [
    { table: 'divided_large', key: 'message_id', width: 'week' },
    { table: 'divided_small', width: 'month' },
  ]
  const states = async () => (await readDivisions(db, tables)).map(({ state }) => state)

  it('divides by the named column while rows are inserted, in one of several processes', async () => {
    await run(`create table divided_small (org_id uuid, id uuid, primary key (org_id, id))`)
    await run(`create table divided_large (org_id uuid, message_id uuid, recipient int,
      primary key (org_id, message_id, recipient))`)
    await run(
      `insert into divided_large select '${ours}', new_time_id(), n from generate_series(1, 20000) n`,
    )
    expect(await states()).toEqual(['waiting', 'waiting'])
    expect((await readDivisions(db, tables))[0]?.bytes).toBeGreaterThan(1_000_000)
    await run(`select bound_first_partition('divided_large', 'week', 'message_id')`)
    expect(await states()).toEqual(['reading', 'waiting'])
    const done = new AbortController()
    let inserted = 0
    const writes = [1, 2, 3].map(async (writer) => {
      for (; !done.signal.aborted; inserted += 1) {
        await run(`insert into divided_large values ('${theirs}', new_time_id(), ${writer})`)
      }
    })
    await Promise.all([1, 2, 3].map(async () => await divideTables(db, tables)))
    while ((await states()).some((state) => state !== 'divided')) await divideTables(db, tables)
    done.abort()
    await Promise.all(writes)
    expect(await rowsOf('divided_large')).toBe(20_000 + inserted)
    const [first] = await listPartitions(db, 'divided_large')
    expect(first).toMatchObject({ key: 'message_id', from: null })
    await createPartitionsAhead(db, at('2060-01-01'), { divided_large: 'week' })
    expect(await listTablesWithoutPartition(db, at('2060-01-07'))).not.toContain('divided_large')
    expect(
      await expirePortion(db, { table: 'divided_large', before: first?.to ?? at('2020-01-01') }),
    ).toBe(true)
    expect(await rowsOf('divided_large')).toBe(0)
  })

  it('deletes expired rows one by one from a table that is not divided yet', async () => {
    await run(
      `create table undivided (org_id uuid, id uuid, created_at timestamptz, primary key (org_id, id))`,
    )
    await run(`insert into undivided values ('${ours}', '${idAt(at('2020-01-01'))}', '2020-01-01'),
      ('${theirs}', new_time_id(), now())`)
    const expiry = { table: 'undivided', before: at('2021-01-01') }
    expect(await expirePortion(db, expiry)).toBe(false)
    const byTime = { ...expiry, deletes_first: true, time_column: 'created_at' }
    expect(await expirePortion(db, byTime)).toBe(true)
    expect(await expirePortion(db, byTime)).toBe(false)
    expect(await rowsOf('undivided')).toBe(1)
  })
})

describe('partitions', () => {
  it('are created ahead, and the default one takes what is beyond', async () => {
    await createTable('ahead', 'week')
    const [first] = await listPartitions(db, 'ahead')
    const late = new Date((first?.to?.getTime() ?? 0) + 100 * DAY_MS)
    await insert('ahead', ours, late)
    await insert('ahead', theirs, new Date(late.getTime() + 10 * DAY_MS))
    expect(await listTablesWithoutPartition(db, late)).toContain('ahead')
    await createPartitionsAhead(db, late, { ahead: 'week' })
    expect(await listTablesWithoutPartition(db, late)).not.toContain('ahead')
    const before = await namesOf('ahead')
    await createPartitionsAhead(db, late, { ahead: 'week' })
    expect(await namesOf('ahead')).toEqual(before)
    // The older row stays, and the one that belongs to a new partition is moved.
    expect(await rowsOf('ahead_default')).toBe(1)
    expect(await rowsOf('ahead')).toBe(1002)
  })

  it('are created once by processes at the same time', async () => {
    await createTable('shared')
    const later = at('2040-01-15')
    await Promise.allSettled([1, 2, 3].map(async () => await createPartitionsAhead(db, later)))
    expect((await namesOf('shared')).slice(-3)).toEqual([
      'shared_from_20400116',
      'shared_from_20400201',
      'shared_default',
    ])
  })

  it('are as wide as the retention allows', () => {
    expect([0, 30, 99, 100].map(widthFor)).toEqual(['month', 'week', 'week', 'month'])
    expect(nextBoundary(at('2026-11-30'), 'week')).toEqual(at('2026-12-07'))
    expect(nextBoundary(at('2026-12-31'), 'month')).toEqual(at('2027-01-01'))
  })
})

describe('expiry', () => {
  it('drops partitions of which all rows are expired, and keeps the others', async () => {
    await createTable('expiring')
    const [, second, third] = await listPartitions(db, 'expiring')
    if (!second?.from || !second.to || !third) throw new Error('there are no partitions')
    await insert('expiring', ours, second.from)
    await insert('expiring', theirs, new Date(second.to.getTime() - 1))
    await insert('expiring', theirs, second.to)
    const early = { table: 'expiring', before: new Date(second.to.getTime() - 1) }
    const until: Date[] = []
    const onDrop = async (_: unknown, time: Date) => {
      await Promise.resolve(until.push(time))
    }
    expect(await expirePortion(db, { ...early, onDrop })).toBe(true)
    expect(await expirePortion(db, { ...early, onDrop })).toBe(false)
    expect([until, await rowsOf('expiring')]).toEqual([[second.from], 3])
    // It arrives when its partition is gone.
    await insert('expiring', ours, at('2020-01-01'))
    expect(await expirePortion(db, early)).toBe(true)
    expect(await rowsOf('expiring')).toBe(3)
    expect(await expirePortion(db, { table: 'expiring', before: second.to })).toBe(true)
    expect(await rowsOf('expiring')).toBe(1)
    expect(await namesOf('expiring')).toEqual([third.name, 'expiring_default'])
  })

  it('leaves a partition complete when it fails in between, or has rows that must stay', async () => {
    await createTable('failing')
    const before = at('2090-01-01')
    const broken = () => Promise.reject(new Error('killed'))
    await expect(expirePortion(db, { table: 'failing', before, onDrop: broken })).rejects.toThrow(
      'killed',
    )
    expect(await rowsOf('failing')).toBe(1000)
    const stays = (_: unknown, { from }: Period) => Promise.resolve(from === null)
    while (await expirePortion(db, { table: 'failing', before, stays }));
    expect(await namesOf('failing')).toEqual(['failing_first', 'failing_default'])
  })

  it('deletes expired rows of the first partition one by one where that is wanted', async () => {
    await createTable('old')
    await insert('old', theirs, at('2020-01-01'))
    const expiry = { table: 'old', before: at('2021-01-01') }
    expect(await expirePortion(db, expiry)).toBe(false)
    expect(await expirePortion(db, { ...expiry, deletes_first: true })).toBe(true)
    expect(await rowsOf('old')).toBe(1000)
  })

  it('gives up for a reader that has the table for long', async () => {
    await createTable('used')
    const before = at('2090-01-01')
    await db.transaction().execute(async (tx) => {
      await sql`select count(*) from used`.execute(tx)
      await expect(expirePortion(db, { table: 'used', before })).rejects.toThrow('lock timeout')
      await insert('used', ours, at('2026-01-01'))
    })
    expect(await expirePortion(db, { table: 'used', before })).toBe(true)
  })
})
