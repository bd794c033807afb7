import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import type { CountedIdentity } from '../identities.ts'
import { countBatch } from './counters.ts'
import { sweepVelocity, type VelocityKey } from './store.ts'

const db = testDatabase()
const NOW = new Date('2026-03-01T12:00:00Z')

/** Counts one check per person, all on one device, and returns the number of people each saw. */
async function peopleSeen(persons: number[], perBatch: number): Promise<number[]> {
  const org_id = randomUUID()
  const device = (person: number): CountedIdentity => ({ kind: 'device', key_hash: KEY, person })
  const seen: number[] = []
  for (let start = 0; start < persons.length; start += perBatch) {
    const batch = persons.slice(start, start + perBatch)
    const counters = await countBatch(
      db,
      batch.map((person) => ({ org_id, identities: [device(person)], created_at: NOW })),
    )
    for (const person of batch) seen.push(counters.next(org_id, device(person))?.people ?? 0)
  }
  return seen
}
const KEY = randomUUID()

describe('a batch of checks', () => {
  it('is counted as if its checks had arrived one by one, for any batch size', async () => {
    const persons = [1, 2, 2, 3, 1, 4, 5, 5, 6, 7]
    const alone = await peopleSeen(persons, 1)
    expect(alone).toEqual([1, 2, 2, 3, 3, 4, 5, 5, 6, 7])
    for (const size of [2, 3, 10]) expect(await peopleSeen(persons, size)).toEqual(alone)
  })

  it('returns the counts in the order of the checks', async () => {
    const org_id = randomUUID()
    const identity: CountedIdentity = { kind: 'email', key_hash: randomUUID(), person: undefined }
    const check = { org_id, identities: [identity], created_at: NOW }
    const counters = await countBatch(db, [check, check, check])
    const counts = [1, 2, 3].map(() => counters.next(org_id, identity)?.counts.count_1d)
    expect(counts).toEqual([1, 2, 3])
    const unknown = { ...identity, key_hash: randomUUID() }
    expect(counters.next(org_id, unknown)).toBeUndefined()
  })
})

describe('the sweep of old identities', () => {
  it('deletes all expired identities of the table and no others', async () => {
    const org_id = randomUUID()
    const [old, young] = [randomUUID(), randomUUID()]
    const count = async (key_hash: string, at: string) =>
      await countBatch(db, [
        {
          org_id,
          identities: [{ kind: 'email', key_hash, person: undefined }],
          created_at: new Date(at),
        },
      ])
    await count(old, '1999-01-01T00:00:00Z')
    await count(young, '2026-01-01T00:00:00Z')
    let cursor: VelocityKey | undefined
    do cursor = await sweepVelocity(db, new Date('2000-01-01'), cursor)
    while (cursor)
    const left = await db
      .selectFrom('velocity')
      .select('key_hash')
      .where('org_id', '=', org_id)
      .execute()
    expect(left).toEqual([{ key_hash: young }])
  })
})
