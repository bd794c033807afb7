import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { createSearches } from '../index.ts'
import type { SavedSearch } from './schema.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const PATH = '/console/api/edge/searches'

async function post(token: string, body: Record<string, unknown>) {
  return await harness().call<SavedSearch & { field: string }>({
    method: 'POST',
    path: PATH,
    token,
    body,
  })
}

async function list(token: string, orgId: string) {
  const { body } = await harness().call<{ searches: SavedSearch[] }>({
    method: 'GET',
    path: `${PATH}?org_id=${orgId}`,
    token,
  })
  return body.content.searches
}

const change = async (token: string, id: string, body: Record<string, unknown>) =>
  await harness().call<SavedSearch>({ method: 'PATCH', path: `${PATH}/${id}`, token, body })

const remove = async (token: string, id: string, orgId: string) =>
  await harness().call({ method: 'DELETE', path: `${PATH}/${id}?org_id=${orgId}`, token })

describe('saved searches', () => {
  it('are visible to all members of the organization and to no one else', async () => {
    const { org_id } = await harness().createTenant()
    const [token, other] = [
      await harness().signIn(org_id, 'member'),
      await harness().signIn(org_id, 'member'),
    ]
    const filters = { range: '24h', q: '"card reader"', level: 'error,fatal' }
    const { status, body } = await post(token, { org_id, name: 'Card <b>readers</b>', filters })
    expect(status).toBe(200)
    expect(body.content).toMatchObject({ name: 'Card <b>readers</b>', filters })
    expect(body.content.created_by.email).toContain('@')
    expect(await list(other, org_id)).toEqual([body.content])
    const stranger = await harness().signIn((await harness().createTenant()).org_id)
    for (const response of [
      await harness().call({ method: 'GET', path: `${PATH}?org_id=${org_id}`, token: stranger }),
      await post(stranger, { org_id, name: 'x', filters: {} }),
      await change(stranger, body.content.id, { org_id, name: 'x' }),
      await remove(stranger, body.content.id, org_id),
    ]) {
      expect(response.status).toBe(404)
    }
    expect(await list(other, org_id)).toEqual([body.content])
  })

  it('can be changed and deleted by their author, by owners and by admins', async () => {
    const { org_id } = await harness().createTenant()
    const own = await harness().signIn(org_id, 'member')
    const other = await harness().signIn(org_id, 'member')
    const admin = await harness().signIn(org_id, 'admin')
    const filters = { level: 'warn' }
    const { id } = (await post(own, { org_id, name: 'Mine', filters })).body.content
    expect((await change(other, id, { org_id, name: 'Yours' })).status).toBe(403)
    expect((await remove(other, id, org_id)).status).toBe(403)
    const renamed = await change(own, id, { org_id, name: 'Renamed' })
    expect(renamed.body.content).toMatchObject({ name: 'Renamed', filters })
    const refiltered = await change(admin, id, { org_id, filters: { q: 'x' } })
    expect(refiltered.body.content).toMatchObject({ name: 'Renamed', filters: { q: 'x' } })
    expect((await remove(admin, id, org_id)).status).toBe(200)
    expect((await remove(admin, id, org_id)).status).toBe(404)
    const mine = (await post(own, { org_id, name: 'Mine again', filters })).body.content.id
    expect((await remove(own, mine, org_id)).status).toBe(200)
    expect(await list(own, org_id)).toEqual([])
  })

  it("of another organization cannot be reached through one's own", async () => {
    const owner = await harness().createTenant()
    const { id } = (
      await post(await harness().signIn(owner.org_id), {
        org_id: owner.org_id,
        name: 'Theirs',
        filters: {},
      })
    ).body.content
    const { org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id)
    expect((await change(token, id, { org_id, name: 'x' })).status).toBe(404)
    expect((await remove(token, id, org_id)).status).toBe(404)
    expect((await remove(token, 'no-id', org_id)).status).toBe(404)
  })

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['filters', { filters: [] }],
    ['filters.levels', { filters: { levels: 'error' } }],
    ['filters.q', { filters: { q: 5 } }],
    ['filters.q', { filters: { q: 'x'.repeat(2049) } }],
  ])('are refused with the name of the invalid field %s', async (field, bad) => {
    const { org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id, 'member')
    const { status, body } = await post(token, { org_id, name: 'x', filters: {}, ...bad })
    expect([status, body.content.field]).toEqual([400, field])
  })

  it('are limited to a hundred, also under concurrency', async () => {
    const { org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id, 'member')
    const { directory, db, clock, newId } = harness().stores
    const searches = createSearches({ directory, db, clock, newId })
    const user = { org_id, user_id: newId(clock.now()), role: 'member' } as const
    for (let each = 0; each < 95; each += 1) {
      await searches.create(user, { name: `search ${each}`, filters: {} })
    }
    await Promise.allSettled(
      Array.from({ length: 20 }, () => searches.create(user, { name: 'search', filters: {} })),
    )
    const { status, body } = await post(token, { org_id, name: 'one more', filters: {} })
    expect([status, body.content.field]).toEqual([400, 'org_id'])
    const all = await list(token, org_id)
    expect(all).toHaveLength(100)
    expect(all[0]?.created_by).toEqual({ user_id: user.user_id, email: null })
  })
})
