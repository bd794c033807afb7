import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createKeyedHash } from '../../platform/crypto/keyed-hash.ts'
import { createIds } from '../../platform/ids.ts'
import { HALF_LIFE_DAYS, WEIGHT_MAX } from './judge.ts'
import { createReputation, type Identity } from './service.ts'
import { changeOpinions, type OpinionChange, readOpinions } from './store.ts'

const db = testDatabase()
const newId = createIds()
const hash = createKeyedHash(randomBytes(32))
const reputation = createReputation({ db, hash })

const NOW = new Date('2026-03-01T12:00:00Z')
const later = (days: number) => new Date(NOW.getTime() + days * 86_400_000)
const FRESH = { org_id: newId(NOW), mode: 'live', kind: 'device' } as const
const newQuery = () => ({ org_id: newId(NOW), key_hash: newId(NOW) })

const change = async (
  ...changes: (Partial<OpinionChange> & { key_hash: string; org_id: string })[]
) => await changeOpinions(changes.map((one) => ({ bad: 0, good: 0, at: NOW, ...one }))).execute(db)
const read = async (query: { org_id: string; key_hash: string }) =>
  (await readOpinions(db, [query]))[0]?.find(({ is_own }) => is_own)

describe('an opinion', () => {
  it('fades until the next one, and is told with its own time', async () => {
    const query = newQuery()
    await change({ ...query, bad: 1 })
    await change({ ...query, bad: 0.5, at: later(HALF_LIFE_DAYS) })
    const opinion = await read(query)
    expect(opinion?.bad).toBeCloseTo(1, 9)
    expect(opinion?.updated_at).toEqual(later(HALF_LIFE_DAYS))
  })

  it('never weighs more than one organisation may', async () => {
    const query = newQuery()
    await change(...Array.from({ length: 9 }, () => ({ ...query, bad: 1 })))
    expect((await read(query))?.bad).toBe(WEIGHT_MAX)
    await change({ ...query, bad: 1 })
    expect((await read(query))?.bad).toBe(WEIGHT_MAX)
  })

  it('can be taken back, and falls to nothing but not below', async () => {
    const query = newQuery()
    await change({ ...query, bad: 1 })
    await change({ ...query, bad: -0.25, good: 1 })
    expect(await read(query)).toMatchObject({ bad: 0.75, good: 1 })
    await change({ ...query, bad: -2, good: -2 })
    expect(await read(query)).toMatchObject({ bad: 0, good: 0 })
  })

  it('that was never there cannot be taken back', async () => {
    const query = newQuery()
    await change({ ...query, bad: -1 })
    expect(await read(query)).toMatchObject({ bad: 0, good: 0 })
  })

  it('of several in one statement goes to the right row, twice the same one added up', async () => {
    const [a, b] = [newQuery(), newQuery()]
    await change({ ...a, bad: 0.25 }, { ...b, good: 1 }, { ...a, bad: 0.5 }, { ...b, good: -0.5 })
    expect(await read(a)).toMatchObject({ bad: 0.75, good: 0 })
    expect(await read(b)).toMatchObject({ bad: 0, good: 0.5 })
  })
})

describe('the standing of an identity', () => {
  it('is that of each asker: own opinions are told from those of others', async () => {
    const { org_id, key_hash } = newQuery()
    await change({ org_id, key_hash, bad: 1 })
    const other = { key_hash, org_id: newId(NOW) }
    const all = await Promise.all(
      [{ org_id, key_hash }, other, newQuery()].map((query) => reputation.standing(query, NOW)),
    )
    expect(all).toEqual([
      { score: 90, shared: 0, own: 1, others: 0 },
      { score: 30, shared: 30, own: 0, others: 1 },
      { score: 0, shared: 0, own: 0, others: 0 },
    ])
  })
})

describe('the key of an identity', () => {
  const keyOf = (given: Partial<Identity>) => reputation.key({ ...FRESH, value: 'v', ...given })

  it('is the same for all organisations, and another one per mode, kind and value', () => {
    expect(keyOf({ org_id: newId(NOW) })).toBe(keyOf({}))
    const keys = [keyOf({}), keyOf({ mode: 'test' }), keyOf({ kind: 'ip' }), keyOf({ value: 'w' })]
    expect(new Set(keys).size).toBe(4)
  })

  it('of a phone number is the one under which reports are stored', () => {
    const phone = '+12025550143'
    expect(keyOf({ kind: 'phone', value: phone })).toBe(hash('reputation', 'live', 'phone', phone))
  })

  it('of a user with a number of the organisation is not that of the same number elsewhere', () => {
    const of = (org_id: string, value: string) => keyOf({ kind: 'profile', org_id, value })
    const [a, b] = [newId(NOW), newId(NOW)]
    expect(of(a, '1001')).not.toBe(of(b, '1001'))
    expect(of(a, 'Ann@Shop.example')).toBe(of(b, 'ann@shop.example'))
  })
})
