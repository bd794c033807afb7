/**
 * Counts a batch of checks in one statement, then returns the counts check by check: each one sees
 * the checks before it and none after it, as if they had arrived one by one.
 */
import type { Db } from '../../../platform/postgres/db.ts'
import type { CountedIdentity } from '../identities.ts'
import { countVelocity, readSeenWith, type VelocityIncrement, type VelocityRow } from './store.ts'
import type { VelocityCounts } from './velocity.ts'

export type CountedCheck = { org_id: string; identities: CountedIdentity[]; created_at: Date }

export type Counters = {
  /** Must be called once per identity of each check, in the order of the batch. */
  next(orgId: string, identity: CountedIdentity): Counted | undefined
}

export type Counted = {
  counts: VelocityCounts
  /** Distinct people seen with the device or report so far; 0 for other kinds. */
  people: number
}

export async function countBatch(tx: Db, checks: CountedCheck[]): Promise<Counters> {
  const increments = incrementsOf(checks)
  const now = new Date(Math.max(0, ...checks.map(({ created_at }) => created_at.getTime())))
  // Only a device or report with several people in one batch needs the stored people from before the batch.
  const shared = [...increments.values()].filter(({ seen_with }) => seen_with.length > 1)
  const before = await readSeenWith(tx, shared, now)
  const people = new Map(
    shared.map((increment) => [nameOf(increment), new Set(before.get(nameOf(increment)))]),
  )
  const rows = new Map<string, VelocityRow>()
  for (const row of await countVelocity(tx, [...increments.values()], now)) {
    rows.set(nameOf(row), row)
  }
  const left = new Map([...increments].map(([name, { count }]) => [name, count]))
  return {
    next: (orgId, { key_hash, person }) => {
      const name = nameOf({ org_id: orgId, key_hash })
      const row = rows.get(name)
      if (!row) return undefined
      const later = (left.get(name) ?? 1) - 1
      left.set(name, later)
      if (person !== undefined) people.get(name)?.add(person)
      return {
        counts: withoutLater(row, later),
        people: people.get(name)?.size ?? row.seen_with.length,
      }
    },
  }
}

function incrementsOf(checks: CountedCheck[]): Map<string, VelocityIncrement> {
  const increments = new Map<string, VelocityIncrement>()
  for (const { org_id, identities } of checks) {
    for (const { key_hash, person } of identities) {
      const name = nameOf({ org_id, key_hash })
      const increment = increments.get(name) ?? { org_id, key_hash, count: 0, seen_with: [] }
      increment.count += 1
      if (person !== undefined && !increment.seen_with.includes(person)) {
        increment.seen_with.push(person)
      }
      increments.set(name, increment)
    }
  }
  return increments
}

const withoutLater = (row: VelocityRow, later: number): VelocityCounts => ({
  count_5m: row.count_5m - later,
  count_1h: row.count_1h - later,
  count_1d: row.count_1d - later,
  count_7d: row.count_7d - later,
})

const nameOf = ({ org_id, key_hash }: { org_id: string; key_hash: string }): string =>
  `${org_id} ${key_hash}`
