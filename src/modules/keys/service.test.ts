import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { newToken } from '../../platform/crypto/tokens.ts'
import { createIds } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Plan } from '../accounts/tables.ts'
import { createKeys } from './index.ts'
import { KEY_TYPES } from './tables.ts'

const db = testDatabase()
const newId = createIds()
let now = Date.now()
const clock = { now: () => new Date(now) }
const node = () => createKeys({ db, newId, clock })
const keys = node()

async function newOrganization(plan: Plan = 'free'): Promise<string> {
  const id = newId(new Date())
  await db.insertInto('organizations').values({ id, name: 'Keys', plan }).execute()
  return id
}

async function newKey(orgId: string, type: (typeof KEY_TYPES)[number] = 'live_secret') {
  const created = await keys.create(orgId, type)
  if (created === undefined) throw new Error('the organization does not exist')
  return created
}

/** Replaces the database and fails the test on any query. */
const noDatabase = new Proxy({} as Database, {
  get: () => {
    throw new Error('the database was queried')
  },
})

describe('creating keys', () => {
  it('gives each type its prefix, mode and kind', async () => {
    const org_id = await newOrganization('business')
    const seen: unknown[] = []
    for (const type of KEY_TYPES) {
      const { key, key_id } = await newKey(org_id, type)
      const principal = await keys.authenticate(key)
      expect(principal).toMatchObject({ org_id, key_id, plan: 'business' })
      seen.push([type, key.slice(0, 8), key.length, principal?.mode, principal?.kind])
    }
    expect(seen).toEqual([
      ['live_secret', 'sk_live_', 46, 'live', 'secret'],
      ['test_secret', 'sk_test_', 46, 'test', 'secret'],
      ['live_public', 'pk_live_', 46, 'live', 'public'],
      ['test_public', 'pk_test_', 46, 'test', 'public'],
    ])
  })

  it('stores no value that reveals the key', async () => {
    const { key, key_id } = await newKey(await newOrganization())
    const { rows } = await sql<{ row: string }>`
      select api_keys::text as row from api_keys where id = ${key_id}`.execute(db)
    expect(rows[0]?.row).toContain(key.slice(-4))
    expect(rows[0]?.row).not.toContain(key.slice(-5))
    expect(rows[0]?.row).not.toContain(key.slice(8, 20))
  })

  it('fails for an organization that does not exist', async () => {
    expect(await keys.create(newId(new Date()), 'live_secret')).toBeUndefined()
    expect(await keys.create('no-uuid', 'live_secret')).toBeUndefined()
  })
})

describe('listing keys', () => {
  it('shows the keys of one organization, newest first, by hint only', async () => {
    const org_id = await newOrganization()
    await newKey(await newOrganization())
    const first = await newKey(org_id)
    now += 1
    const second = await newKey(org_id, 'test_public')
    const listed = await keys.list(org_id)
    expect(listed.map(({ key_id }) => key_id)).toEqual([second.key_id, first.key_id])
    expect(listed[1]).toEqual({
      name: '',
      note: '',
      scopes: null,
      networks: null,
      expires_at: null,
      last_used_at: null,
      last_used_address: null,
      last_used_operation: null,
      key_id: first.key_id,
      type: 'live_secret',
      key_hint: `sk_live_…${first.key.slice(-4)}`,
      created_at: expect.any(Date) as Date,
      revoked_at: null,
      created_by: null,
      replaced_by: null,
    })
    expect(await keys.list('no-uuid')).toEqual([])
  })
})

describe('authentication', () => {
  it('refuses a malformed text or checksum without a query', async () => {
    const offline = createKeys({ db: noDatabase, newId, clock })
    const { key } = await newKey(await newOrganization())
    const wrongChecksum = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    const bad = [
      '',
      'sk_live_',
      wrongChecksum,
      `${key} `,
      key.slice(1),
      newToken('rt_'),
      'ä'.repeat(46),
    ]
    for (const text of [...bad, key.replace('live', 'test')]) {
      expect(await offline.authenticate(text)).toBeUndefined()
    }
    await expect(offline.authenticate(key)).rejects.toThrow('the database was queried')
  })

  it('refuses a well-formed key that was never created', async () => {
    expect(await keys.authenticate(newToken('sk_live_'))).toBeUndefined()
  })

  it('resolves concurrent keys to their own organizations', async () => {
    const created = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const org_id = await newOrganization()
        return { org_id, ...(await newKey(org_id)) }
      }),
    )
    const callers = Array.from({ length: 100 }, (_, n) => created[n % created.length])
    const answers = await Promise.all(
      callers.map(async (caller) => await keys.authenticate(caller?.key ?? '')),
    )
    expect(answers.map((answer) => answer?.org_id)).toEqual(callers.map((one) => one?.org_id))
    expect(answers.map((answer) => answer?.key_id)).toEqual(callers.map((one) => one?.key_id))
  })

  it('sees a changed plan immediately', async () => {
    const org_id = await newOrganization('free')
    const { key } = await newKey(org_id)
    expect((await keys.authenticate(key))?.plan).toBe('free')
    await db
      .updateTable('organizations')
      .set({ plan: 'starter' })
      .where('id', '=', org_id)
      .execute()
    expect((await keys.authenticate(key))?.plan).toBe('starter')
  })
})

describe('revoking', () => {
  it('takes effect immediately on every node, even if the node has used the key before', async () => {
    const org_id = await newOrganization()
    const { key, key_id } = await newKey(org_id)
    const [here, there] = [node(), node()]
    expect(await there.authenticate(key)).toMatchObject({ key_id })
    expect(await here.revoke(org_id, key_id)).toBe(true)
    expect(await there.authenticate(key)).toBeUndefined()
    expect(await here.authenticate(key)).toBeUndefined()
  })

  it('is idempotent and preserves the first time of revocation', async () => {
    const org_id = await newOrganization()
    const { key_id } = await newKey(org_id)
    await keys.revoke(org_id, key_id)
    const before = await keys.list(org_id)
    expect(await keys.revoke(org_id, key_id)).toBe(true)
    expect(await keys.list(org_id)).toEqual(before)
    expect(before[0]?.revoked_at).toBeInstanceOf(Date)
  })

  it('does not find the key of another organization', async () => {
    const { key, key_id } = await newKey(await newOrganization())
    const stranger = await newOrganization()
    expect(await keys.revoke(stranger, key_id)).toBe(false)
    expect(await keys.roll(stranger, key_id)).toBeUndefined()
    expect(await keys.revoke(stranger, newId(new Date()))).toBe(false)
    expect(await keys.revoke(stranger, 'no-uuid')).toBe(false)
    expect(await keys.authenticate(key)).toMatchObject({ key_id })
  })
})

describe('rolling', () => {
  it('revokes the old key and creates one of the same type, on every node', async () => {
    const org_id = await newOrganization()
    for (const type of ['live_secret', 'test_public'] as const) {
      const old = await newKey(org_id, type)
      const other = node()
      const replacement = await keys.roll(org_id, old.key_id)
      expect(await other.authenticate(old.key)).toBeUndefined()
      expect(await other.authenticate(replacement?.key ?? '')).toMatchObject({
        org_id,
        key_id: replacement?.key_id,
      })
      expect(replacement?.key.slice(0, 8)).toBe(old.key.slice(0, 8))
      const listed = await keys.list(org_id)
      const record = listed.find(({ key_id }) => key_id === old.key_id)
      expect(record?.replaced_by).toBe(replacement?.key_id)
    }
  })

  it('creates one replacement when the same key is rolled twice concurrently', async () => {
    const org_id = await newOrganization()
    const { key_id } = await newKey(org_id)
    const rolled = await Promise.all([node().roll(org_id, key_id), node().roll(org_id, key_id)])
    expect(rolled.filter((one) => one !== undefined)).toHaveLength(1)
    const active = (await keys.list(org_id)).filter(({ revoked_at }) => revoked_at === null)
    expect(active).toHaveLength(1)
  })

  it('does not replace a revoked key', async () => {
    const org_id = await newOrganization()
    const { key_id } = await newKey(org_id)
    await keys.revoke(org_id, key_id)
    expect(await keys.roll(org_id, key_id)).toBeUndefined()
    expect(await keys.list(org_id)).toHaveLength(1)
  })
})
