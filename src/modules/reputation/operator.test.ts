/** Runs on a separate database, because voices and their requests concern all organizations. */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { testSealer } from '../../../test/support/push-applications.ts'
import { createKeyedHash } from '../../platform/crypto/keyed-hash.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import type { Mode } from '../../platform/owner.ts'
import { packageRoot } from '../../platform/package-root.ts'
import { HOUR_MS } from '../../platform/time-units.ts'
import { createAccounts } from '../accounts/index.ts'
import type { SharingRule } from './judge.ts'
import { createReputationOperator } from './operator.ts'
import { createReputation } from './service.ts'
import { changeOpinions } from './store.ts'

const db = ownDatabase()
const newId = createIds()
const START = new Date('2026-03-01T12:00:00Z')
const clock = { now: () => START }
const hash = createKeyedHash(randomBytes(32))

const ANYONE: SharingRule = {
  reputation_age_days: 0,
  reputation_requests: 0,
  reputation_voices: 2,
}

const open = (rule: Partial<SharingRule> = {}) => {
  const sharing = { ...ANYONE, ...rule }
  const reputation = createReputation({ directory: db, db, hash, sharing })
  const operator = createReputationOperator({
    directory: db,
    db,
    clock,
    newId,
    reputation,
    sharing,
  })
  return { reputation, operator }
}

const accounts = createAccounts({
  db,
  newId,
  clock,
  log: createLog('silent'),
  sealer: testSealer(db),
  access_token_secret: randomBytes(32),
  known_browser_secret: randomBytes(32),
  access_token_minutes: 15,
  refresh_token_days: 30,
  refresh_leeway_seconds: 10,
  invitation_days: 7,
  organizations_per_owner: 6,
})

const createOrganization = async () =>
  (await accounts.createOrganization({ name: 'Root', plan: 'free' })).id

/** Without the cost of a password. */
async function createUser(): Promise<string> {
  const id = newId(START)
  await db
    .insertInto('users')
    .values({ id, email: `${id}@vigil.test`, password_hash: 'none' })
    .execute()
  return id
}

async function createOwner(orgId: string): Promise<string> {
  const user = await createUser()
  await accounts.setMember(orgId, user, 'owner')
  return user
}

async function createOwned(owner: string): Promise<string | undefined> {
  const created = await accounts.createOwnedOrganization({ name: 'Further', owner })
  return 'refused' in created ? undefined : created.id
}

const voicesOf = async (...ids: (string | undefined)[]) => {
  const rows = await db.selectFrom('reputation_voices').select(['org_id', 'voice_id']).execute()
  return ids.map((id) => rows.find(({ org_id }) => org_id === id)?.voice_id)
}

describe('the voice of an organization', () => {
  it('is shared with all organizations that are connected over owners', async () => {
    const { operator } = open()
    const [a, b, c, d] = [
      await createOrganization(),
      await createOrganization(),
      await createOrganization(),
      await createOrganization(),
    ]
    const first = await createOwner(a)
    await accounts.setMember(b, first, 'owner')
    const second = await createOwner(b)
    await accounts.setMember(c, second, 'owner')
    await accounts.setMember(d, second, 'admin')
    await operator.refresh()
    expect(await voicesOf(a, b, c, d)).toEqual([a, a, a, d])
    await createOwner(c)
    await accounts.removeMember(c, second)
    await operator.refresh()
    expect(await voicesOf(a, b, c)).toEqual([a, a, c])
  })

  it('stays that of its origin when its owners have nothing in common with it', async () => {
    const { operator } = open()
    const root = await createOrganization()
    await createOwner(root)
    const accomplice = await createOwner(root)
    const child = await createOwned(accomplice)
    const further = await createOwner(child ?? '')
    const grandchild = await createOwned(further)
    await accounts.removeMember(root, accomplice)
    await accounts.removeMember(child ?? '', further)
    await operator.refresh()
    expect(await voicesOf(root, child, grandchild)).toEqual([root, root, root])
  })
})

describe('an organization of an earlier version', () => {
  it('descends from the oldest one that its creator owned or otherwise acted in', async () => {
    const file = join(packageRoot(), 'migrations/postgres/0017_reputation_voices.sql')
    const [backfill] = /with recursive[^;]*;/.exec(readFileSync(file, 'utf8')) ?? ['']
    const root = await createOrganization()
    const owner = await createOwner(root)
    const child = await createOwned(owner)
    const grandchild = await createOwned(await createOwner(child ?? ''))
    const accomplice = await createOwner(root)
    const left = await createOwned(accomplice)
    await accounts.removeMember(root, accomplice, accomplice)
    const other = await createOrganization()
    const ids = [root, child, grandchild, left, other].map((id) => id ?? '')
    const roots = async () => {
      const rows = await db.selectFrom('organizations').select(['id', 'root_id']).execute()
      return ids.map((id) => rows.find((row) => row.id === id)?.root_id)
    }
    const expected = [null, root, root, root, null]
    expect(await roots()).toEqual(expected)
    await db.updateTable('organizations').set({ root_id: null }).execute()
    await sql.raw(backfill).execute(db)
    expect(await roots()).toEqual(expected)
  })
})

describe('further organizations of an owner', () => {
  it('are limited together with those of co-owners, also when created at the same time', async () => {
    const root = await createOrganization()
    const owners = [await createOwner(root), await createOwner(root), await createOwner(root)]
    const created = await Promise.all(
      Array.from({ length: 12 }, (_, index) => createOwned(owners[index % 3] ?? '')),
    )
    expect(created.filter((id) => id !== undefined)).toHaveLength(5)
    const outside = await createUser()
    expect(await accounts.createOwnedOrganization({ name: 'None', owner: outside })).toEqual({
      refused: 'no_owner',
    })
  })
})

describe('the requests of an organization', () => {
  const use = async (org_id: string, mode: Mode, meter: string, at: Date, quantity = 1) =>
    await db
      .insertInto('usage_slots')
      .values({ org_id, mode, slot_at: at, meter, quantity, cost_units: 0 })
      .execute()
  const foldUntil = async (at: Date) => {
    await sql`insert into usage_fold (folded_until) values (${at})
      on conflict (is_only) do update set folded_until = excluded.folded_until`.execute(db)
  }
  const requestsOf = async (org_id: string) =>
    await db
      .selectFrom('reputation_voices')
      .select(['live_requests', 'test_requests'])
      .where('org_id', '=', org_id)
      .executeTakeFirst()
  const cashierAction = async (org_id: string, at: Date) =>
    await db
      .insertInto('cashier_actions')
      .values({
        org_id,
        id: newId(at),
        mode: 'live',
        cashier_id: newId(at),
        action_type: 'void',
        risk_score: 0,
        request: '{}',
        fraud: '{}',
        measurements: '{}',
        performed_at: at,
        created_at: at,
      } as never)
      .execute()

  it('are counted by mode, each full hour once, until they are enough', async () => {
    const { operator } = open({ reputation_requests: 20 })
    const org = await createOrganization()
    const hour = (hours: number) => new Date(START.getTime() + hours * HOUR_MS)
    await use(org, 'live', 'check', START, 3)
    await use(org, 'live', 'order', hour(1), 4)
    await use(org, 'test', 'order', hour(1), 5)
    await use(org, 'live', 'edge_log', hour(1), 1000)
    await use(org, 'live', 'check', hour(3), 50)
    await cashierAction(org, hour(2))
    await foldUntil(new Date(hour(3).getTime() + 1))
    await operator.refresh()
    expect(await requestsOf(org)).toEqual({ live_requests: 8, test_requests: 5 })
    await operator.refresh()
    expect(await requestsOf(org)).toEqual({ live_requests: 8, test_requests: 5 })
    await use(org, 'test', 'check', hour(3), 50)
    await use(org, 'live', 'check', hour(24 * 90), 7)
    await foldUntil(hour(24 * 100))
    await operator.refresh()
    expect(await requestsOf(org)).toMatchObject({ test_requests: 55 })
    const counted = await requestsOf(org)
    expect(counted?.live_requests).toBeGreaterThanOrEqual(58)
    await use(org, 'live', 'check', hour(24 * 101), 9)
    await foldUntil(hour(24 * 102))
    await operator.refresh()
    expect(await requestsOf(org)).toEqual(counted)
  })
})

describe('the operator', () => {
  const identity = (value: string) => ({ kind: 'phone' as const, value })
  const say = async (org_id: string, mode: Mode, value: string, bad = 1) => {
    const key_hash = open().reputation.key({ org_id, mode, ...identity(value) })
    const change = { org_id, key_hash, bad, good: 0, shared_bad: bad, at: START }
    await changeOpinions([change]).execute(db)
  }
  const auditOf = async (org_id: string) =>
    await db
      .selectFrom('audit_log')
      .select(['action', 'details'])
      .where('org_id', '=', org_id)
      .execute()

  it('sees who said what, whether it counts, and why not', async () => {
    const { operator } = open({ reputation_age_days: 1 })
    const [trusted, young, distrusted, weak] = [
      await createOrganization(),
      await createOrganization(),
      await createOrganization(),
      await createOrganization(),
    ]
    for (const org of [trusted, weak]) expect(await operator.setTrust(org, true)).toBe(true)
    await operator.setTrust(distrusted, false)
    for (const org of [trusted, young, distrusted]) await say(org, 'live', '+1')
    await say(weak, 'live', '+1', 0.25)
    const explained = await operator.explain({ ...identity('+1'), org_id: trusted, mode: 'live' })
    expect(explained).toMatchObject({ shared_score: 0, voices: 1, voices_needed: 2 })
    const reasons = explained.opinions.map(({ org_id, counts, why_not }) => [
      org_id,
      counts,
      why_not,
    ])
    expect(reasons).toEqual([
      [trusted, true, null],
      [young, false, 'too_young'],
      [distrusted, false, 'distrusted'],
      [weak, false, 'weak'],
    ])
    await operator.setTrust(distrusted, true)
    await operator.setTrust(trusted, null)
    const after = await operator.explain({ ...identity('+1'), org_id: trusted, mode: 'live' })
    expect(after.opinions.map(({ why_not }) => why_not)).toEqual([
      'too_young',
      'too_young',
      null,
      'weak',
    ])
    expect(await auditOf(distrusted)).toEqual([
      { action: 'reputation.trust_changed', details: { is_trusted: false } },
      { action: 'reputation.trust_changed', details: { is_trusted: true } },
    ])
    expect(await operator.setTrust(newId(START), true)).toBe(false)
    expect(await operator.setTrust('x', true)).toBe(false)
  })

  it('deletes opinions of an organization, about one identity in both modes or all', async () => {
    const { operator } = open()
    const [org, other] = [await createOrganization(), await createOrganization()]
    for (const value of ['+2', '+3']) {
      await say(org, 'live', value)
      await say(org, 'test', value)
      await say(other, 'live', value)
    }
    expect(await operator.count(org, identity('+2'))).toBe(2)
    expect(await operator.revoke(org, identity('+2'))).toBe(2)
    expect(await operator.count(org)).toBe(2)
    expect(await operator.revoke(org)).toBe(2)
    expect(await operator.revoke(org)).toBe(0)
    expect(await operator.count(other)).toBe(2)
    expect(await auditOf(org)).toEqual([
      { action: 'reputation.revoked', details: { opinions: 2, kind: 'phone' } },
      { action: 'reputation.revoked', details: { opinions: 2, kind: null } },
    ])
  })
})

/** Owners create organizations, invite each other, leave, and accuse someone. */
const MOVES = ['create', 'invite', 'leave', 'branch', 'accuse', 'refresh'] as const
const index = fc.nat({ max: 30 })
const moves = fc.array(
  fc.record({
    move: fc.constantFrom(...MOVES),
    org: index,
    user: index,
    times: fc.nat({ max: 9 }),
  }),
  { minLength: 3, maxLength: 25 },
)
type Move = typeof moves extends fc.Arbitrary<(infer One)[]> ? One : never

function createGang({ operator, reputation }: ReturnType<typeof open>) {
  const organizations: string[] = []
  const users: string[] = []
  const key_hash = newId(START)
  const at = (list: readonly string[], position: number) => list[position % list.length] ?? ''
  const invite = async (org: string) => {
    const user = await createOwner(org)
    users.push(user)
    return user
  }
  const create = async (user: string) => {
    const created = await createOwned(user)
    if (created !== undefined) organizations.push(created)
  }
  const accuse = async (org_id: string, times: number) => {
    const change = { org_id, key_hash, bad: times, good: 0, shared_bad: times, at: START }
    await changeOpinions([change]).execute(db)
  }
  return {
    /** Adds an organization of the operator. */
    join: async () => {
      const org = await createOrganization()
      organizations.push(org)
      await invite(org)
    },
    play: async ({ move, org: orgAt, user: userAt, times }: Move) => {
      const [org, user] = [at(organizations, orgAt), at(users, userAt)]
      if (move === 'create') await create(user)
      if (move === 'invite') await invite(org)
      if (move === 'leave') await accounts.removeMember(org, user, user)
      if (move === 'accuse') await accuse(org, times)
      if (move === 'refresh') await operator.refresh()
      if (move === 'branch') {
        const accomplice = await invite(org)
        await create(accomplice)
        await accounts.removeMember(org, accomplice, accomplice)
      }
    },
    accuseAll: async () => {
      for (const org of organizations) await accuse(org, 3)
      await operator.refresh()
    },
    /** The score of someone who has nothing to do with them. */
    score: async () => {
      const stranger = { org_id: newId(START), mode: 'live' as const, key_hash }
      return (await reputation.standing(stranger, START)).score
    },
  }
}

describe('colluding owners', () => {
  it('never change the score of a stranger while fewer than the voices that are needed', async () => {
    const owners = fc.integer({ min: 1, max: 3 })
    await fc.assert(
      fc.asyncProperty(owners, moves, async (colluding, played) => {
        const gang = createGang(open({ reputation_voices: colluding + 1 }))
        for (let n = 0; n < colluding; n += 1) await gang.join()
        for (const move of played) {
          await gang.play(move)
          expect(await gang.score()).toBe(0)
        }
        await gang.accuseAll()
        expect(await gang.score()).toBe(0)
        // Nothing but a further independent voice is missing.
        await gang.join()
        await gang.accuseAll()
        expect(await gang.score()).toBe(60)
      }),
      { numRuns: 25 },
    )
  })
})
