import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import { applyDirectoryChanges, createDirectoryWriters, sweepAppliedChanges } from './index.ts'

const db = ownDatabase()
const NOW = new Date('2026-03-01T12:00:00Z')

const opinionsOf = async (org_id: string) =>
  await db
    .selectFrom('reputation')
    .select(['key_hash', 'bad', 'good', 'updated_at'])
    .where('org_id', '=', org_id)
    .execute()
const waiting = async () => (await sql`select * from directory_changes`.execute(db)).rows

it('are written with their cause, and applied once however often they are taken', async () => {
  const { opinions, audit } = createDirectoryWriters(false)
  const [org_id, key_hash, id] = [randomUUID(), randomUUID(), randomUUID()]
  const opinion = { org_id, key_hash, bad: 1, good: 0, shared_bad: 1, at: NOW }
  const write = async (fails: boolean) =>
    await db.transaction().execute(async (tx) => {
      await opinions.write([opinion]).execute(tx)
      const entry = { id, at: NOW, actor_user_id: null, action: 'rules.applied', details: { a: 1 } }
      await audit(tx, org_id, entry)
      if (fails) throw new Error('undone')
    })
  await expect(write(true)).rejects.toThrow('undone')
  expect(await waiting()).toEqual([])
  await write(false)
  expect(await opinionsOf(org_id)).toEqual([])

  await sql`create table copied as select * from directory_changes`.execute(db)
  const both = await Promise.all([1, 2].map(async () => await applyDirectoryChanges(db, db)))
  expect(both.reduce((sum, changes) => sum + changes, 0)).toBe(2)
  expect(await waiting()).toEqual([])
  // As after a crash between both transactions.
  await sql`insert into directory_changes select * from copied`.execute(db)
  expect(await applyDirectoryChanges(db, db)).toBe(2)

  expect(await opinionsOf(org_id)).toEqual([{ key_hash, bad: 1, good: 0, updated_at: NOW }])
  const entries = await db.selectFrom('audit_log').selectAll().execute()
  expect(entries).toMatchObject([
    { org_id, id, at: NOW, action: 'rules.applied', details: { a: 1 } },
  ])
})

it('are not forgotten before no cell can hold them', async () => {
  await sql`insert into applied_directory_changes (org_id, id, applied_at)
    values (gen_random_uuid(), gen_random_uuid(), ${NOW})`.execute(db)
  expect(await sweepAppliedChanges(db, NOW)).toBe(0)
  expect(await sweepAppliedChanges(db, new Date(NOW.getTime() + DAY_MS))).toBe(1)
})
