import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { addCommand, addDevice } from '../../../../test/support/mdm-dispatch.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { shareDevice } from '../commands/creation.store.ts'
import { markCommandsDue } from '../commands/store.ts'
import { beginCommands, listDueKinds, listWaiting } from './claim.store.ts'

const db = ownDatabase()
afterEach(async () => {
  await sql`truncate mdm_devices, mdm_commands, mdm_dispatches`.execute(db)
})

const KINDS = ['issue_command', 'assign_policy'] as const
const MANY = 20_000

describe('checking whether anything is due', () => {
  it.each([
    ['all of it is', '0', ['assign_policy']],
    ['none of it is', '1 hour', []],
  ])('reads only a few rows of a long backlog when %s', async (_name, ahead, due) => {
    await sql`insert into mdm_dispatches (org_id, kind, subject_id, due_at, created_at)
      select ${randomUUID()}::uuid, 'assign_policy', gen_random_uuid(), now() + ${ahead}::interval, now()
      from generate_series(1, ${MANY}::integer)`.execute(db)
    await sql`analyze mdm_dispatches`.execute(db)
    expect((await listDueKinds(db, KINDS)).toSorted()).toEqual(due)
    const read = await rowsRead(db, 'mdm_dispatches', async (tx) => await listDueKinds(tx, KINDS))
    expect(read).toBeLessThan(10)
  })
})

describe('claiming a command', () => {
  it('costs the same however many commands its device has had', async () => {
    const { org_id, id } = await addDevice(db, randomUUID())
    await sql`insert into mdm_commands (org_id, id, device_id, type, status, expires_at, created_at,
        completed_at)
      select ${org_id}::uuid, ('00000000' || substr(gen_random_uuid()::text, 9))::uuid, ${id}::uuid,
        'LOCK', 'expired', now(), now(), now()
      from generate_series(1, ${MANY}::integer)`.execute(db)
    const command = await addCommand(db, { org_id, id })
    await sql`analyze mdm_commands`.execute(db)
    const subject = { org_id, subject_id: command.id }
    const read = async (work: Parameters<typeof rowsRead>[2]) =>
      await rowsRead(db, 'mdm_commands', work)
    expect(await read(async (tx) => await listWaiting(tx, [subject]))).toBeLessThan(10)
    expect(await read(async (tx) => await beginCommands(tx, [subject]))).toBeLessThan(10)
    expect(await read(async (tx) => await shareDevice(tx, org_id, id))).toBeLessThan(10)
    const device = { org_id, device_id: id }
    expect(await read(async (tx) => await markCommandsDue(tx, [device]))).toBeLessThan(10)
  })
})
