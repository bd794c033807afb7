import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createKeyedHash } from '../../platform/crypto/keyed-hash.ts'
import { createIds } from '../../platform/ids.ts'
import { HALF_LIFE_DAYS, WEIGHT_MAX } from './judge.ts'
import { createReputation, type Identity } from './service.ts'
import { changeOpinions, type OpinionChange, type OpinionQuery, readOpinions } from './store.ts'

const db = testDatabase()
const newId = createIds()
const hash = createKeyedHash(randomBytes(32))
const sharing = { reputation_age_days: 14, reputation_requests: 100, reputation_voices: 2 }
const reputation = createReputation({ directory: db, db, hash, sharing })

const NOW = new Date('2026-03-01T12:00:00Z')
const later = (days: number) => new Date(NOW.getTime() + days * 86_400_000)
const FRESH = { org_id: newId(NOW), mode: 'live', kind: 'device' } as const
const newQuery = () => ({ org_id: newId(NOW), mode: 'live' as const, key_hash: newId(NOW) })

const change = async (
  ...changes: (Partial<OpinionChange> & { key_hash: string; org_id: string })[]
) =>
  await changeOpinions(
    changes.map((one) => ({ bad: 0, good: 0, shared_bad: one.bad ?? 0, at: NOW, ...one })),
  ).execute(db)
const read = async (query: OpinionQuery) =>
  (await readOpinions(db, [query]))[0]?.find(({ is_own }) => is_own)

const rowOf = ({ org_id, key_hash }: OpinionQuery) => ({ org_id, key_hash })

/** Creates an established organization. */
async function createVoice(
  given: Partial<{ voice_id: string; live_requests: number; test_requests: number }>,
): Promise<string> {
  const id = randomUUID()
  const since = later(-14)
  await db
    .insertInto('organizations')
    .values({ id, name: 'Voice', plan: 'free', created_at: since })
    .execute()
  await db
    .insertInto('reputation_voices')
    .values({
      org_id: id,
      voice_id: id,
      since,
      live_requests: 100,
      counted_until: since,
      ...given,
    })
    .execute()
  return id
}

describe('an opinion', () => {
  it('decays until the next one and is returned with its time', async () => {
    const query = newQuery()
    await change({ ...query, bad: 1 })
    await change({ ...query, bad: 0.5, at: later(HALF_LIFE_DAYS) })
    const opinion = await read(query)
    expect(opinion?.bad).toBeCloseTo(1, 9)
    expect(opinion?.updated_at).toEqual(later(HALF_LIFE_DAYS))
  })

  it('never exceeds the maximum weight of an organization', async () => {
    const query = newQuery()
    await change(...Array.from({ length: 9 }, () => ({ ...query, bad: 1 })))
    expect((await read(query))?.bad).toBe(WEIGHT_MAX)
    await change({ ...query, bad: 1 })
    expect((await read(query))?.bad).toBe(WEIGHT_MAX)
  })

  it('can be taken back down to zero but not below', async () => {
    const query = newQuery()
    await change({ ...query, bad: 1 })
    await change({ ...query, bad: -0.25, good: 1 })
    expect(await read(query)).toMatchObject({ bad: 0.75, good: 1 })
    await change({ ...query, bad: -2, good: -2 })
    expect(await read(query)).toMatchObject({ bad: 0, good: 0 })
  })

  it('has a part that counts for others, all of it in rows of earlier versions', async () => {
    const query = newQuery()
    await db
      .insertInto('reputation')
      .values({ ...rowOf(query), bad: 1, good: 0, updated_at: NOW })
      .execute()
    expect(await read(query)).toMatchObject({ bad: 1, shared_bad: 1 })
    await change({ ...query, bad: 1, shared_bad: 0.25 })
    expect(await read(query)).toMatchObject({ bad: 2, shared_bad: 1.25 })
    await change({ ...query, bad: -1, shared_bad: -0.25 })
    expect(await read(query)).toMatchObject({ bad: 1, shared_bad: 1 })
  })

  it('that does not exist cannot be taken back', async () => {
    const query = newQuery()
    await change({ ...query, bad: -1 })
    expect(await read(query)).toMatchObject({ bad: 0, good: 0 })
  })

  it('of several in one statement reaches its row, and equal keys add up', async () => {
    const [a, b] = [newQuery(), newQuery()]
    await change({ ...a, bad: 0.25 }, { ...b, good: 1 }, { ...a, bad: 0.5 }, { ...b, good: -0.5 })
    expect(await read(a)).toMatchObject({ bad: 0.75, good: 0 })
    expect(await read(b)).toMatchObject({ bad: 0, good: 0.5 })
  })
})

describe('the standing of an identity', () => {
  it('distinguishes own opinions from those of others, and counts voices that may speak', async () => {
    const query = newQuery()
    await change({ ...query, bad: 1 })
    const asking = [query, { ...query, org_id: newId(NOW) }, newQuery()]
    const standings = async () =>
      await Promise.all(asking.map((one) => reputation.standing(one, NOW)))
    const own = { score: 90, shared: 0, own: 1, others: 0 }
    const nothing = { score: 0, shared: 0, own: 0, others: 0 }
    expect(await standings()).toEqual([own, nothing, nothing])
    for (const org_id of [await createVoice({}), await createVoice({ live_requests: 99 })]) {
      await change({ org_id, key_hash: query.key_hash, bad: 1 })
    }
    const supported = { score: 90, shared: 60, own: 1, others: 1 }
    expect(await standings()).toEqual([supported, { ...nothing, others: 1 }, nothing])
    await change({ org_id: await createVoice({}), key_hash: query.key_hash, bad: 1 })
    const agreed = { score: 60, shared: 60, own: 0, others: 2 }
    expect(await standings()).toEqual([{ ...supported, shared: 80, others: 2 }, agreed, nothing])
  })

  it('counts requests of the mode of the identity', async () => {
    const [query, other] = [newQuery(), newQuery()]
    for (let n = 0; n < 2; n += 1) {
      const org_id = await createVoice({ live_requests: 0, test_requests: 100 })
      await change({ org_id, key_hash: query.key_hash, bad: 1 })
    }
    const shared = async (mode: 'live' | 'test') =>
      (await reputation.standing({ ...query, org_id: other.org_id, mode }, NOW)).shared
    expect([await shared('live'), await shared('test')]).toEqual([0, 60])
  })

  it('takes organizations of one voice as one', async () => {
    const query = newQuery()
    const voice_id = await createVoice({})
    for (let n = 0; n < 3; n += 1) {
      await change({ org_id: await createVoice({ voice_id }), key_hash: query.key_hash, bad: 3 })
    }
    expect(await reputation.standing(query, NOW)).toMatchObject({ shared: 0, others: 1 })
    const sibling = { ...query, org_id: await createVoice({ voice_id }) }
    expect(await reputation.standing(sibling, NOW)).toMatchObject({ shared: 0, others: 0 })
  })
})

describe('the key of an identity', () => {
  const keyOf = (given: Partial<Identity>) => reputation.key({ ...FRESH, value: 'v', ...given })

  it('is the same for all organizations and differs by mode, kind and value', () => {
    expect(keyOf({ org_id: newId(NOW) })).toBe(keyOf({}))
    const keys = [keyOf({}), keyOf({ mode: 'test' }), keyOf({ kind: 'ip' }), keyOf({ value: 'w' })]
    expect(new Set(keys).size).toBe(4)
  })

  it('of a phone number is the one under which reports are stored', () => {
    const phone = '+12025550143'
    expect(keyOf({ kind: 'phone', value: phone })).toBe(hash('reputation', 'live', 'phone', phone))
  })

  it('of a user id differs between organizations', () => {
    const of = (org_id: string, value: string) => keyOf({ kind: 'profile', org_id, value })
    const [a, b] = [newId(NOW), newId(NOW)]
    expect(of(a, '1001')).not.toBe(of(b, '1001'))
    expect(of(a, 'Ann@Shop.example')).toBe(of(b, 'ann@shop.example'))
  })
})
