import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/time-units.ts'
import { insertIdentityKey, sweepIdentityKeys, sweepIdentityUses, useAssertion } from './store.ts'

const db = ownDatabase()
const NOW = new Date()
const ORG = randomUUID()
const newUse = (expires_at = NOW) => ({ jti: randomUUID(), expires_at })

describe('an assertion', () => {
  it('belongs to the first subscription that presents it, however often it does', async () => {
    const use = newUse()
    const [first, second] = [randomUUID(), randomUUID()]
    expect(await useAssertion(db, ORG, first, use)).toBe(true)
    expect(await useAssertion(db, ORG, second, use)).toBe(false)
    expect(await useAssertion(db, ORG, first, use)).toBe(true)
  })

  it('has one owner when many subscriptions present it concurrently', async () => {
    const use = newUse()
    const ids = Array.from({ length: 16 }, () => randomUUID())
    const used = await Promise.all(
      ids.map(
        async (id) =>
          await db.transaction().execute(async (tx) => await useAssertion(tx, ORG, id, use)),
      ),
    )
    expect(used.filter(Boolean)).toHaveLength(1)
  })

  it('has no owner again when the transaction is rolled back', async () => {
    const use = newUse()
    const undone = db.transaction().execute(async (tx) => {
      await useAssertion(tx, ORG, randomUUID(), use)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await useAssertion(db, ORG, randomUUID(), use)).toBe(true)
  })
})

describe('sweeping', () => {
  it('deletes used assertions an hour after they have expired', async () => {
    await db.deleteFrom('push_identity_uses').execute()
    const old = newUse(new Date(NOW.getTime() - HOUR_MS - 1))
    const young = newUse(new Date(NOW.getTime() - HOUR_MS))
    for (const use of [old, young]) await useAssertion(db, ORG, randomUUID(), use)
    expect(await sweepIdentityUses(db, NOW)).toBe(1)
    expect(await sweepIdentityUses(db, NOW)).toBe(0)
    const left = await db.selectFrom('push_identity_uses').select('jti').execute()
    expect(left).toEqual([{ jti: young.jti }])
  })

  it('finds expired assertions without reading the others', async () => {
    const add = async (count: number, hours: number) =>
      await sql`
        insert into push_identity_uses (org_id, jti, subscription_id, expires_at)
        select ${ORG}, gen_random_uuid(), gen_random_uuid(), now() + ${hours}::integer * interval '1 hour'
        from generate_series(1, ${count}::integer)`.execute(db)
    await add(60_000, 1)
    await add(5000, -2)
    await sql`analyze push_identity_uses`.execute(db)
    const read = await rowsRead(db, 'push_identity_uses', async (tx) => {
      expect(await sweepIdentityUses(tx, NOW)).toBe(5000)
    })
    expect(read).toBeLessThan(20_000)
  })

  it('deletes keys once all their assertions have expired', async () => {
    const [old, young] = [randomUUID(), randomUUID()]
    for (const id of [old, young]) {
      await insertIdentityKey(db, { id, private_key: 'sealed', public_key: { kty: 'OKP' } })
    }
    const before = new Date(NOW.getTime() - 31 * DAY_MS)
    const created_at = new Date(before.getTime() - 1)
    await db.updateTable('push_identity_keys').set({ created_at }).where('id', '=', old).execute()
    expect(await sweepIdentityKeys(db, before)).toBe(1)
    const left = await db.selectFrom('push_identity_keys').select('id').execute()
    expect(left).toEqual([{ id: young }])
  })
})
