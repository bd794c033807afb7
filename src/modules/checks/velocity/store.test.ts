import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { countVelocity, type VelocityIncrement } from './store.ts'

const db = testDatabase()
const T0 = new Date('2026-03-01T12:00:00Z')
const after = (seconds: number) => new Date(T0.getTime() + seconds * 1000)

const identity = (): VelocityIncrement => ({
  org_id: randomUUID(),
  key_hash: randomUUID(),
  count: 1,
  seen_with: [],
})

async function countOnce(increment: VelocityIncrement, at: Date) {
  const [row] = await countVelocity(db, [increment], at)
  if (!row) throw new Error('nothing was counted')
  return row
}

describe('velocity counters', () => {
  it('start with the occurrence itself and halve after each half-life', async () => {
    const key = identity()
    expect(await countOnce(key, T0)).toMatchObject({ count_5m: 1, count_1h: 1, count_7d: 1 })
    const later = await countOnce(key, after(300))
    expect(later.count_5m).toBeCloseTo(1.5)
    expect(later.count_1h).toBeCloseTo(1 + 0.5 ** (1 / 12))
    expect((await countOnce(key, after(300 + 86_400))).count_5m).toBeCloseTo(1)
  })

  it('do not move back in time for a late occurrence', async () => {
    const key = identity()
    await countOnce(key, after(600))
    const late = await countOnce(key, T0)
    expect(late.count_5m).toBeCloseTo(2)
    expect((await countOnce(key, after(600))).count_5m).toBeCloseTo(3)
  })

  it('do not underflow after years without an occurrence', async () => {
    const key = identity()
    await countOnce(key, T0)
    expect((await countOnce(key, after(20 * 365 * 86_400))).count_7d).toBeCloseTo(1)
  })

  it('keep organizations apart', async () => {
    const key = identity()
    await countOnce(key, T0)
    const other = await countOnce({ ...key, org_id: randomUUID() }, T0)
    expect(other.count_1d).toBe(1)
  })

  it('count many identities in one statement, and all of them under contention', async () => {
    const keys = Array.from({ length: 20 }, identity)
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        countVelocity(db, n % 2 === 0 ? keys : keys.toReversed(), T0),
      ),
    )
    const rows = await countVelocity(db, keys, T0)
    expect(rows.map(({ count_1d }) => Math.round(count_1d))).toEqual(keys.map(() => 9))
  })

  it('store distinct people of a device up to a limit, and drop them after thirty days', async () => {
    const key = identity()
    const seen = (person: number, at: Date) => countOnce({ ...key, seen_with: [person] }, at)
    await seen(1, T0)
    await seen(1, T0)
    expect(new Set((await seen(-2, T0)).seen_with)).toEqual(new Set([-2, 1]))
    for (let person = 10; person < 60; person += 1) await seen(person, T0)
    expect((await seen(99, T0)).seen_with).toHaveLength(32)
    expect((await seen(7, after(31 * 86_400))).seen_with).toEqual([7])
  })
})
