import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import type { AuditPage } from '../../audit/schema.ts'
import type { Role } from '../tables.ts'

const harness = useHarness()

type Person = { token: string; user_id: string }
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

const call = async <T>(method: Method, path: string, person: Person, body?: object) =>
  await harness().call<T>({
    method,
    path: `/console/api/${path}`,
    token: person.token,
    ...(body && { body }),
  })

async function join(orgId: string, role: Role): Promise<Person> {
  const token = await harness().signIn(orgId, role)
  const claims = await harness().services.accounts.verifyAccess(token)
  return { token, user_id: claims?.user_id ?? '' }
}

async function newOrganization() {
  const { org_id } = await harness().createTenant('starter')
  return {
    org_id,
    owner: await join(org_id, 'owner'),
    admin: await join(org_id, 'admin'),
    member: await join(org_id, 'member'),
  }
}

const stranger = async () => (await newOrganization()).owner
const rolesOf = async (orgId: string) =>
  new Map(
    (await harness().services.accounts.listMembers(orgId)).map(({ user_id, role }) => [
      user_id,
      role,
    ]),
  )

describe('members in the console', () => {
  it('are visible to all members, and to no one else', async () => {
    const { org_id, owner, admin, member } = await newOrganization()
    for (const person of [owner, admin, member]) {
      const { body } = await call<{ members: object[] }>('GET', `members?org_id=${org_id}`, person)
      expect(body.content.members).toHaveLength(3)
    }
    const foreign = await stranger()
    expect((await call('GET', `members?org_id=${org_id}`, foreign)).status).toBe(404)
  })

  it('are changed by admins, and owners only by owners', async () => {
    const { org_id, owner, admin, member } = await newOrganization()
    const become = async (by: Person, whom: Person, role: Role) =>
      (await call('PATCH', `members/${whom.user_id}`, by, { org_id, role })).status
    expect(await become(member, member, 'admin')).toBe(403)
    expect(await become(admin, admin, 'owner')).toBe(403)
    expect(await become(admin, owner, 'member')).toBe(403)
    expect(await become(admin, member, 'admin')).toBe(200)
    expect(await become(owner, admin, 'owner')).toBe(200)
    expect(await become(owner, owner, 'member')).toBe(200)
    expect(await become(owner, admin, 'member')).toBe(403)
    expect([...(await rolesOf(org_id)).values()].toSorted()).toEqual(['admin', 'member', 'owner'])
    const outside = await stranger()
    expect(await become(outside, member, 'member')).toBe(404)
    expect(await become(admin, outside, 'member')).toBe(404)
  })

  it('can leave, can be removed by admins, and include at least one owner', async () => {
    const { org_id, owner, admin, member } = await newOrganization()
    const remove = async (by: Person, whom: Person) =>
      await call<{ field: string }>('DELETE', `members/${whom.user_id}?org_id=${org_id}`, by)
    expect((await remove(member, admin)).status).toBe(403)
    expect((await remove(admin, owner)).status).toBe(403)
    expect((await remove(member, member)).status).toBe(200)
    expect((await remove(member, member)).status).toBe(404)
    const last = await remove(owner, owner)
    expect(last.status).toBe(400)
    expect(last.body.content.field).toBe('user_id')
    expect((await remove(owner, admin)).status).toBe(200)
    expect([...(await rolesOf(org_id)).keys()]).toEqual([owner.user_id])
  })
})

describe('an organization', () => {
  const change = async (by: Person, body: object) =>
    await call<{ name: string; plan: string; field: string }>('PATCH', 'organization', by, body)

  it('is renamed by admins, and moved to another plan by owners', async () => {
    const { org_id, owner, admin, member } = await newOrganization()
    const { body } = await call('GET', `organization?org_id=${org_id}`, member)
    expect(body.content).toMatchObject({ id: org_id, name: 'Test shop', plan: 'starter' })
    expect((await change(member, { org_id, name: 'Mine' })).status).toBe(403)
    expect((await change(admin, { org_id, plan: 'business' })).status).toBe(403)
    const renamed = await change(admin, { org_id, name: '  Other shop ' })
    expect(renamed.body.content).toMatchObject({ name: 'Other shop', plan: 'starter' })
    const changed = await change(owner, { org_id, plan: 'business' })
    expect(changed.body.content).toMatchObject({ name: 'Other shop', plan: 'business' })
    expect((await change(await stranger(), { org_id, name: 'Mine' })).status).toBe(404)
  })

  it.each([
    ['name', { name: '' }],
    ['name', { name: '   ' }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 'x'.repeat(201) }],
    ['plan', { plan: 'gold' }],
  ])('cannot be given an invalid %s', async (field, body) => {
    const { org_id, owner } = await newOrganization()
    const answer = await change(owner, { org_id, ...body })
    expect([answer.status, answer.body.content.field]).toEqual([400, field])
  })

  it('can be created by the owner of another one, who owns it', async () => {
    const { owner, admin } = await newOrganization()
    expect((await call('POST', 'organizations', admin, { name: 'Second' })).status).toBe(403)
    const created = await call<{ id: string }>('POST', 'organizations', owner, { name: 'Second' })
    expect(created.body.content).toMatchObject({ name: 'Second', plan: 'free' })
    const roles = await rolesOf(created.body.content.id)
    expect([...roles]).toEqual([[owner.user_id, 'owner']])
  })
})

describe('the audit log', () => {
  const read = async (orgId: string, by: Person, query = '') =>
    await call<AuditPage>('GET', `audit?org_id=${orgId}${query}`, by)

  it('shows who did what, newest first, to owners and admins', async () => {
    const { org_id, owner, admin, member } = await newOrganization()
    await call('PATCH', `members/${member.user_id}`, owner, { org_id, role: 'admin' })
    await call('PATCH', 'organization', owner, { org_id, plan: 'business' })
    await call('PATCH', 'organization', owner, { org_id, plan: 'business' })
    const created = await call<{ key_id: string }>('POST', 'keys', admin, {
      org_id,
      type: 'test_secret',
    })
    const { key_id } = created.body.content
    await call('POST', 'keys/roll', admin, { org_id, key_id })
    const { body } = await read(org_id, admin, '&limit=4')
    const [rolled, key, plan, role] = body.content.entries
    expect(role).toMatchObject({
      action: 'member.role_changed',
      actor_user_id: owner.user_id,
      details: { user_id: member.user_id, from: 'member', to: 'admin' },
    })
    expect(role?.target).toMatch(/@vigil\.test$/)
    expect(plan).toMatchObject({
      action: 'organization.plan_changed',
      details: { from: 'starter', to: 'business' },
    })
    expect(plan?.actor_email).toMatch(/@vigil\.test$/)
    expect(key).toMatchObject({ action: 'key.created', actor_user_id: admin.user_id })
    expect(rolled).toMatchObject({ action: 'key.rolled', target: key?.target })
    expect(JSON.stringify(body)).not.toMatch(/sk_test_[0-9A-Za-z]{38}/)
    const next = await read(org_id, admin, `&cursor=${body.content.next_cursor}`)
    expect(next.body.content.entries.map(({ action }) => action)).toContain('member.added')
    expect(next.body.content.next_cursor).toBeNull()
  })

  it('is hidden from members and strangers, and refuses an invalid cursor', async () => {
    const { org_id, owner, member } = await newOrganization()
    expect((await read(org_id, member)).status).toBe(403)
    expect((await read(org_id, await stranger())).status).toBe(404)
    const bad = await call<{ field: string }>('GET', `audit?org_id=${org_id}&cursor=x`, owner)
    expect([bad.status, bad.body.content.field]).toEqual([400, 'cursor'])
  })

  it('cannot be changed, even by SQL', async () => {
    const { org_id } = await newOrganization()
    const { db } = harness().stores
    const change = db.updateTable('audit_log').set({ action: 'x' }).where('org_id', '=', org_id)
    await expect(change.execute()).rejects.toThrow('append-only')
    const removal = db.deleteFrom('audit_log').where('org_id', '=', org_id)
    await expect(removal.execute()).rejects.toThrow('append-only')
  })
})
