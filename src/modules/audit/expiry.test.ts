/** Entries of the audit logs expire by the month, those of all organizations together. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { addAuditEntries } from '../../../test/support/mdm.ts'
import { createIds } from '../../platform/ids.ts'
import { listPartitions } from '../../platform/postgres/partitions/catalog.store.ts'
import { createAuditReading, expireMdmAudit } from '../mdm/index.ts'
import { createAuditLog, expireAudit, insertAudit } from './index.ts'

const db = ownDatabase('whole')
const newId = createIds()
const [ours, theirs] = [randomUUID(), randomUUID()]

/** The last moment of the first partition, and the first of the next one. */
async function momentsOf(table: string): Promise<[Date, Date]> {
  const [first] = await listPartitions(db, table)
  if (!first?.to) throw new Error(`${table} has no partitions`)
  return [new Date(first.to.getTime() - 1), first.to]
}

it('drops the entries of a month, and keeps those that are younger', async () => {
  const [last, next] = await momentsOf('audit_log')
  for (const org of [ours, theirs]) {
    for (const at of [last, next]) {
      await insertAudit(db, org, { id: newId(at), at, actor_user_id: null, action: 'member.added' })
    }
  }
  const read = async (org: string) => {
    const page = await createAuditLog({ db }).list(org, { limit: 10 })
    return page?.entries.map(({ at }) => at)
  }
  expect(await expireAudit(db, last)).toBe(false)
  expect(await read(ours)).toEqual([next.toISOString(), last.toISOString()])
  expect(await expireAudit(db, next)).toBe(true)
  expect(await expireAudit(db, next)).toBe(false)
  for (const org of [ours, theirs]) expect(await read(org)).toEqual([next.toISOString()])
  await expect(db.deleteFrom('audit_log').execute()).rejects.toThrow('append-only')
})

it('drops entries of device management with their counts', async () => {
  const [last, next] = await momentsOf('mdm_audit_log')
  await addAuditEntries(db, ours, [last, next, next])
  const reading = createAuditReading({ db })
  const read = async () => {
    const { entries, pagination } = await reading.list(ours, { page: 1, limit: 10 })
    return [entries.map(({ created_at }) => created_at), pagination.total]
  }
  const [old, young] = [last.toISOString(), next.toISOString()]
  expect(await read()).toEqual([[young, young, old], 3])
  expect(await expireMdmAudit(db, next)).toBe(true)
  expect(await read()).toEqual([[young, young], 2])
  await expect(sql`delete from mdm_audit_log`.execute(db)).rejects.toThrow('append-only')
})
