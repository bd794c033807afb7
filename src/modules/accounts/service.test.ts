import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { testSealer } from '../../../test/support/push-applications.ts'
import { createQuickPasswords } from '../../../test/support/quick-passwords.ts'
import { systemClock } from '../../platform/clock.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createAccounts } from './index.ts'

const db = testDatabase()
const newId = createIds()
const accounts = createAccounts({
  passwords: createQuickPasswords(),
  db,
  newId,
  clock: systemClock,
  log: createLog('fatal'),
  sealer: testSealer(db),
  access_token_secret: Buffer.alloc(32, 1),
  known_browser_secret: Buffer.alloc(32, 2),
  access_token_minutes: 15,
  refresh_token_days: 30,
  refresh_leeway_seconds: 10,
  invitation_days: 7,
})

const unknownId = () => newId(new Date())
const newEmail = () => `${unknownId()}@example.com`

async function newUser(email = newEmail()): Promise<string> {
  const id = unknownId()
  await db.insertInto('users').values({ id, email, password_hash: 'none' }).execute()
  return id
}

async function newOrganization(owners = 0): Promise<{ id: string; owners: string[] }> {
  const { id } = await accounts.createOrganization({ name: 'Accounts', plan: 'free' })
  const users = await Promise.all(Array.from({ length: owners }, async () => await newUser()))
  for (const user of users) await accounts.setMember(id, user, 'owner')
  return { id, owners: users }
}

describe('organizations', () => {
  it('are found with their plan, which can be changed', async () => {
    const created = await accounts.createOrganization({ name: 'Shop', plan: 'free' })
    expect(await accounts.setPlan(created.id, 'starter')).toBe(true)
    expect(await accounts.findOrganization(created.id)).toEqual({ ...created, plan: 'starter' })
  })

  it('that do not exist are not found', async () => {
    for (const id of [unknownId(), 'no-uuid']) {
      expect(await accounts.findOrganization(id)).toBeUndefined()
      expect(await accounts.setPlan(id, 'starter')).toBe(false)
      expect(await accounts.listMembers(id)).toEqual([])
    }
  })
})

describe('users', () => {
  it('sign in with the password of their creation, which is not stored', async () => {
    const email = newEmail()
    const created = await accounts.createUser({
      email: ` ${email} `,
      password: 'correct horse battery',
    })
    expect(created).toEqual({ user_id: expect.any(String) as string })
    expect(await accounts.signIn(email.toUpperCase(), 'correct horse battery')).toBeDefined()
    const row = await db.selectFrom('users').selectAll().where('email', '=', email).execute()
    expect(JSON.stringify(row)).not.toContain('correct horse')
  })

  it('get a generated password when none is given', async () => {
    const email = newEmail()
    const created = await accounts.createUser({ email })
    const password = 'generated_password' in created ? created.generated_password : undefined
    expect(password).toMatch(/^[0-9A-Za-z]{24}$/)
    expect(await accounts.signIn(email, password ?? '')).toBeDefined()
  })

  it('are refused with a reason', async () => {
    const email = newEmail()
    await accounts.createUser({ email })
    const again = { email: email.toUpperCase() }
    expect(await accounts.createUser(again)).toEqual({ refused: 'email_taken' })
    expect(await accounts.createUser({ email: 'nobody' })).toEqual({ refused: 'email_invalid' })
    const weak = { email: newEmail(), password: 'short' }
    expect(await accounts.createUser(weak)).toEqual({ refused: 'password_too_short' })
  })

  it('get another e-mail from the operator, which ends sessions and is in the audit log', async () => {
    const { id, owners } = await newOrganization(1)
    const [user = ''] = owners
    const tokens = await accounts.issueTokens(user)
    const [other, next] = [newEmail(), newEmail()]
    await accounts.createUser({ email: other })
    expect(await accounts.setEmail(user, 'no address')).toEqual({ refused: 'email_invalid' })
    expect(await accounts.setEmail(user, other)).toEqual({ refused: 'email_taken' })
    expect(await accounts.setEmail(unknownId(), next)).toEqual({ refused: 'not_found' })
    expect(await accounts.verifyAccess(tokens?.access_token ?? '')).toBeDefined()
    const former = await accounts.findEmail(user)
    expect(await accounts.setEmail(user, next)).toBe('done')
    expect(await accounts.findEmail(user)).toBe(next)
    expect(await accounts.refresh(tokens?.refresh_token ?? '', {})).toBeUndefined()
    const entries = await db
      .selectFrom('audit_log')
      .select(['action', 'actor_user_id', 'target', 'details'])
      .where('org_id', '=', id)
      .where('action', '=', 'email.changed')
      .execute()
    const details = { from: former, to: next }
    expect(entries).toEqual([
      { action: 'email.changed', actor_user_id: null, target: next, details },
    ])
  })

  it('are created once when two calls create the same one concurrently', async () => {
    const email = newEmail()
    const created = await Promise.all([
      accounts.createUser({ email }),
      accounts.createUser({ email: email.toUpperCase() }),
    ])
    expect(created.filter((one) => 'refused' in one)).toEqual([{ refused: 'email_taken' }])
  })

  it('lose their old password and all sessions when a new password is set', async () => {
    const email = newEmail()
    const created = await accounts.createUser({ email, password: 'the old password' })
    const user_id = 'user_id' in created ? created.user_id : ''
    const pair = await accounts.signIn(email, 'the old password')
    expect(await accounts.setPassword(user_id, 'the new password')).toEqual({})
    expect(await accounts.signIn(email, 'the old password')).toBeUndefined()
    expect(await accounts.signIn(email, 'the new password')).toBeDefined()
    expect(await accounts.refresh(pair?.refresh_token ?? '')).toBeUndefined()
    expect(await accounts.setPassword(user_id, 'short')).toEqual({ refused: 'password_too_short' })
    expect(await accounts.setPassword(unknownId())).toEqual({ refused: 'not_found' })
  })
})

describe('memberships', () => {
  it('contain the role and the plan, and end immediately', async () => {
    const org = await newOrganization(1)
    const user_id = await newUser()
    expect(await accounts.membership(user_id, org.id)).toBeUndefined()
    expect(await accounts.setMember(org.id, user_id, 'member')).toBe('done')
    const member = { org_id: org.id, user_id, role: 'member', plan: 'free', cell: 'main' }
    const factors = { requires_second_factor: false, has_second_factor: false }
    const providers = { required_provider: null, is_break_glass: false }
    const expected = { ...member, is_moving: false, ...factors, ...providers }
    expect(await accounts.membership(user_id, org.id)).toEqual(expected)
    await accounts.setMember(org.id, user_id, 'admin')
    expect(await accounts.membership(user_id, org.id)).toEqual({ ...expected, role: 'admin' })
    expect(await accounts.removeMember(org.id, user_id)).toBe('done')
    expect(await accounts.membership(user_id, org.id)).toBeUndefined()
  })

  it('belong to one organization and one user only', async () => {
    const [one, two] = [await newOrganization(1), await newOrganization(1)]
    const [owner = ''] = one.owners
    expect(await accounts.membership(owner, two.id)).toBeUndefined()
    expect((await accounts.listMembers(two.id)).map(({ user_id }) => user_id)).toEqual(two.owners)
    expect(await accounts.listOrganizations(owner)).toMatchObject([{ id: one.id, role: 'owner' }])
    expect(await accounts.removeMember(two.id, owner)).toBe('not_found')
    expect(await accounts.membership(owner, one.id)).toMatchObject({ role: 'owner' })
  })

  it('require an existing organization and user', async () => {
    const org = await newOrganization(1)
    for (const id of [unknownId(), 'no-uuid']) {
      expect(await accounts.setMember(org.id, id, 'admin')).toBe('not_found')
      expect(await accounts.setMember(id, org.owners[0] ?? '', 'admin')).toBe('not_found')
      expect(await accounts.removeMember(org.id, id)).toBe('not_found')
      expect(await accounts.membership(id, org.id)).toBeUndefined()
    }
  })

  it('never leave an organization without an owner', async () => {
    const { id, owners } = await newOrganization(2)
    const [first = '', last = ''] = owners
    expect(await accounts.setMember(id, first, 'member')).toBe('done')
    expect(await accounts.setMember(id, last, 'admin')).toBe('last_owner')
    expect(await accounts.removeMember(id, last)).toBe('last_owner')
    expect(await accounts.setMember(id, last, 'owner')).toBe('done')
    expect(await accounts.membership(last, id)).toMatchObject({ role: 'owner' })
  })

  it('never leave an organization without an owner when all owners leave concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, owners } = await newOrganization(3)
      const left = await Promise.all(
        owners.map((user, n) =>
          n === 0 ? accounts.removeMember(id, user) : accounts.setMember(id, user, 'member'),
        ),
      )
      expect(left.toSorted()).toEqual(['done', 'done', 'last_owner'])
      const members = await accounts.listMembers(id)
      expect(members.filter(({ role }) => role === 'owner')).toHaveLength(1)
    }
  })
})
