import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { createTestClock, nodeParts } from '../../../../test/support/push-fixtures.ts'
import { createLog } from '../../../platform/log.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import { createIdentityKeys } from './keys.ts'

const db = ownDatabase()
const clock = createTestClock()

const createNode = () => createIdentityKeys(nodeParts(db, clock))
const storedIds = async () =>
  (await db.selectFrom('push_identity_keys').select('id').orderBy('created_at').execute()).map(
    ({ id }) => id,
  )
/** Moves the creation of all keys back in time. */
const age = async (days: number) => {
  await sql`update push_identity_keys set created_at = created_at - make_interval(days => ${days})`.execute(
    db,
  )
}

beforeEach(async () => {
  await db.deleteFrom('push_identity_keys').execute()
})

describe('keys of identity assertions', () => {
  it('are created once, however many processes start at the same time', async () => {
    const nodes = Array.from({ length: 6 }, createNode)
    const keys = await Promise.all(nodes.flatMap((node) => [node.signing(), node.signing()]))
    const ids = new Set(keys.map(({ id }) => id))
    expect(ids.size).toBe(1)
    expect(await storedIds()).toEqual([...ids])
  })

  it('are stored sealed', async () => {
    const { private_key } = await createNode().signing()
    const [row] = await db.selectFrom('push_identity_keys').selectAll().execute()
    expect(row?.private_key).toMatch(/^v1\./)
    const { d = '' } = private_key.export({ format: 'jwk' })
    expect(JSON.stringify(row)).not.toContain(d)
    expect(Object.keys(row?.public_key ?? {}).toSorted()).toEqual(['crv', 'kty', 'x'])
  })

  it('are rotated by age, to one new key even if two processes rotate concurrently', async () => {
    const nodes = Array.from({ length: 6 }, createNode)
    const before = await Promise.all(nodes.map(async (node) => await node.signing()))
    await age(31)
    clock.advance(MINUTE_MS)
    const after = await Promise.all(nodes.map(async (node) => await node.signing()))
    const [first] = before
    const fresh = new Set(after.map(({ id }) => id))
    expect(fresh.size).toBe(1)
    expect(await storedIds()).toEqual([first?.id, ...fresh])
  })

  it('sign until they reach their maximum age', async () => {
    const node = createNode()
    const { id } = await node.signing()
    await age(29)
    clock.advance(MINUTE_MS)
    expect((await node.signing()).id).toBe(id)
    expect((await createNode().signing()).id).toBe(id)
  })

  it('verify after rotation, even on nodes that never signed with them', async () => {
    const { id } = await createNode().signing()
    await age(31)
    const node = createNode()
    expect((await node.signing()).id).not.toBe(id)
    expect((await node.verifying(id))?.asymmetricKeyType).toBe('ed25519')
    expect((await node.verifying(id))?.type).toBe('public')
  })

  it('are cached once each, regardless of the case of their ids', async () => {
    const node = createNode()
    const { id } = await node.signing()
    expect(await node.verifying(id.toUpperCase())).toBe(await node.verifying(id))
  })

  it('go out of use a minute after they are deleted', async () => {
    const node = createNode()
    const { id } = await node.signing()
    expect(await node.verifying(id)).toBeDefined()
    await db.deleteFrom('push_identity_keys').execute()
    clock.advance(MINUTE_MS)
    expect(await node.verifying(id)).toBeUndefined()
    expect((await node.signing()).id).not.toBe(id)
  })

  it('that cannot be opened are replaced by a new one, which is logged once', async () => {
    const { id } = await createNode().signing()
    // As if the master key had been lost.
    await db.deleteFrom('data_keys').execute()
    const said: string[] = []
    const log = createLog('info', { write: (line) => said.push(line) })
    const nodes = Array.from({ length: 4 }, () => createIdentityKeys(nodeParts(db, clock, log)))
    const keys = await Promise.all(nodes.map(async (node) => await node.signing()))
    const fresh = new Set(keys.map((key) => key.id))
    expect(fresh.size).toBe(1)
    expect(await storedIds()).toEqual([id, ...fresh])
    clock.advance(MINUTE_MS)
    for (const node of nodes) expect([...fresh]).toContain((await node.signing()).id)
    expect(said).toHaveLength(1)
    expect(JSON.parse(said[0] ?? '')).toMatchObject({ level: 50, key_id: id })
    // Its assertions stay valid until they expire.
    expect((await nodes[0]?.verifying(id))?.asymmetricKeyType).toBe('ed25519')
  })

  it('that could not be read are read again the next time', async () => {
    const parts = nodeParts(db, clock)
    let fails = true
    const open: typeof parts.sealer.open = async (sealed, context) => {
      if (fails) throw new Error('unavailable')
      return await parts.sealer.open(sealed, context)
    }
    const node = createIdentityKeys({ ...parts, sealer: { ...parts.sealer, open } })
    await expect(node.signing()).rejects.toThrow('unavailable')
    fails = false
    expect((await node.signing()).id).toBe((await storedIds())[0])
  })
})
