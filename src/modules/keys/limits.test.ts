import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { createKeys, createKeyUses } from './index.ts'
import type { KeyDetails } from './schema.ts'

const START = Date.UTC(2031, 4, 1)

const db = testDatabase()
const newId = createIds()

async function setUp() {
  const time = { now: START }
  const clock = { now: () => new Date(time.now) }
  const keys = createKeys({ db, newId, clock })
  const org_id = newId(clock.now())
  await db.insertInto('organizations').values({ id: org_id, name: 'Keys', plan: 'free' }).execute()
  const create = async (details: KeyDetails = {}) => {
    const created = await keys.create(org_id, 'live_secret', undefined, details)
    if (!created) throw new Error('the organization does not exist')
    return created
  }
  const recordOf = async (keyId: string) =>
    (await keys.list(org_id)).find(({ key_id }) => key_id === keyId)
  return { time, clock, keys, org_id, create, recordOf }
}

const LIMITS = { name: 'Till', scopes: ['orders:write' as const], networks: ['10.0.0.0/8'] }

describe('a key with limits', () => {
  it('identifies itself with them, and one without has none', async () => {
    const { keys, create } = await setUp()
    const [limited, full] = [await create(LIMITS), await create()]
    const { scopes, networks } = LIMITS
    expect(await keys.authenticate(limited.key)).toMatchObject({ scopes, networks })
    expect(await keys.authenticate(full.key)).toMatchObject({ scopes: null, networks: null })
  })

  it('is changed from the next request on, and null removes a limit', async () => {
    const { keys, org_id, create, recordOf } = await setUp()
    const { key, key_id } = await create(LIMITS)
    expect(await keys.change(org_id, key_id, { scopes: null, note: 'For Cologne' })).toBe(true)
    expect(await keys.authenticate(key)).toMatchObject({ scopes: null, networks: ['10.0.0.0/8'] })
    expect(await recordOf(key_id)).toMatchObject({ name: 'Till', note: 'For Cologne' })
  })

  it.each<[string, KeyDetails]>([
    ['networks.1', { networks: ['10.0.0.1', '10.0.0.0/33'] }],
    ['expires_at', { expires_at: new Date(START) }],
  ])('is refused for an invalid %s', async (field, details) => {
    const { create } = await setUp()
    await expect(create(details)).rejects.toMatchObject({ body: { content: { field } } })
  })

  it('has no scopes when it is public', async () => {
    const { keys, org_id } = await setUp()
    const created = keys.create(org_id, 'live_public', undefined, { scopes: ['rum:write'] })
    await expect(created).rejects.toMatchObject({ body: { content: { field: 'scopes' } } })
  })

  it('stops working when it expires, and cannot be changed or rolled afterwards', async () => {
    const { time, keys, org_id, create } = await setUp()
    const { key, key_id } = await create({ expires_at: new Date(START + DAY_MS) })
    time.now += DAY_MS - 1
    expect(await keys.authenticate(key)).toMatchObject({ key_id })
    time.now += 1
    expect(await keys.authenticate(key)).toBeUndefined()
    expect(await keys.change(org_id, key_id, { expires_at: null })).toBe(false)
    expect(await keys.roll(org_id, key_id)).toBeUndefined()
  })
})

describe('rolling with an overlap', () => {
  it('lets the old key work until the overlap ends', async () => {
    const { time, keys, org_id, create, recordOf } = await setUp()
    const old = await create(LIMITS)
    const next = await keys.roll(org_id, old.key_id, undefined, 24)
    expect(await recordOf(old.key_id)).toMatchObject({
      replaced_by: next?.key_id,
      revoked_at: null,
      expires_at: new Date(START + DAY_MS),
    })
    time.now += DAY_MS - 1
    expect(await keys.authenticate(old.key)).toMatchObject({ key_id: old.key_id })
    time.now += 1
    expect(await keys.authenticate(old.key)).toBeUndefined()
    expect(await keys.authenticate(next?.key ?? '')).toMatchObject({ scopes: LIMITS.scopes })
    expect(await recordOf(next?.key_id ?? '')).toMatchObject(LIMITS)
  })

  it('does not make a key live longer, and renews the lifetime of its replacement', async () => {
    const { time, keys, org_id, create, recordOf } = await setUp()
    const old = await create({ expires_at: new Date(START + 2 * HOUR_MS) })
    time.now += HOUR_MS
    const next = await keys.roll(org_id, old.key_id, undefined, 168)
    expect((await recordOf(old.key_id))?.expires_at).toEqual(new Date(START + 2 * HOUR_MS))
    const renewed = await recordOf(next?.key_id ?? '')
    expect(renewed?.expires_at).toEqual(new Date(START + 3 * HOUR_MS))
  })

  it('happens once, leaves the end alone, and can be cut short by revoking', async () => {
    const { keys, org_id, create } = await setUp()
    const { key, key_id } = await create()
    await keys.roll(org_id, key_id, undefined, 1)
    expect(await keys.roll(org_id, key_id)).toBeUndefined()
    const later = keys.change(org_id, key_id, { expires_at: new Date(START + DAY_MS) })
    await expect(later).rejects.toMatchObject({ body: { content: { field: 'expires_at' } } })
    expect(await keys.revoke(org_id, key_id)).toBe(true)
    expect(await keys.authenticate(key)).toBeUndefined()
  })
})

describe('the last use of a key', () => {
  const newUses = (clock: { now: () => Date }) =>
    createKeyUses({ db, clock, log: createLog('silent') })

  it('is written once a minute at most, also by several nodes', async () => {
    const { time, clock, create, recordOf } = await setUp()
    const { key_id } = await create()
    const [here, there] = [newUses(clock), newUses(clock)]
    here.record(key_id, '::ffff:203.0.113.7', 'POST /v1/check')
    await here.flush()
    time.now += MINUTE_MS - 1
    for (const uses of [here, there]) {
      uses.record(key_id, '203.0.113.8', 'POST /v1/orders')
      await uses.flush()
    }
    const first = { last_used_at: new Date(START), last_used_address: '203.0.113.7' }
    expect(await recordOf(key_id)).toMatchObject({
      ...first,
      last_used_operation: 'POST /v1/check',
    })
    time.now += 1
    here.record(key_id, '203.0.113.9', 'POST /v1/orders')
    await here.stop()
    expect(await recordOf(key_id)).toMatchObject({
      last_used_at: new Date(START + MINUTE_MS),
      last_used_address: '203.0.113.9',
      last_used_operation: 'POST /v1/orders',
    })
  })

  it('is lost without an error when it cannot be written', async () => {
    const { clock } = await setUp()
    const uses = newUses(clock)
    uses.record('no id of a key', '203.0.113.7', 'POST /v1/check')
    await expect(uses.flush()).resolves.toBeUndefined()
  })
})
