import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createAccounts } from './index.ts'

const db = testDatabase()
const newId = createIds()
const accounts = createAccounts({
  db,
  newId,
  clock: systemClock,
  log: createLog('fatal'),
  access_token_secret: Buffer.alloc(32, 1),
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

describe('organisations', () => {
  it('are found with their plan, which can be changed', async () => {
    const made = await accounts.createOrganization({ name: 'Shop', plan: 'free' })
    expect(await accounts.setPlan(made.id, 'starter')).toBe(true)
    expect(await accounts.findOrganization(made.id)).toEqual({ ...made, plan: 'starter' })
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
  it('sign in with the password they were made with, which is not stored', async () => {
    const email = newEmail()
    const made = await accounts.createUser({ email: ` ${email} `, password: 'correct horse' })
    expect(made).toEqual({ user_id: expect.any(String) as string })
    expect(await accounts.signIn(email.toUpperCase(), 'correct horse')).toBeDefined()
    const row = await db.selectFrom('users').selectAll().where('email', '=', email).execute()
    expect(JSON.stringify(row)).not.toContain('correct horse')
  })

  it('get a password when none is given', async () => {
    const email = newEmail()
    const made = await accounts.createUser({ email })
    const password = 'generated_password' in made ? made.generated_password : undefined
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

  it('are made once when two make the same at once', async () => {
    const email = newEmail()
    const made = await Promise.all([
      accounts.createUser({ email }),
      accounts.createUser({ email: email.toUpperCase() }),
    ])
    expect(made.filter((one) => 'refused' in one)).toEqual([{ refused: 'email_taken' }])
  })

  it('lose their old password and all sessions with a new password', async () => {
    const email = newEmail()
    const made = await accounts.createUser({ email, password: 'the old password' })
    const user_id = 'user_id' in made ? made.user_id : ''
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
  it('carry the role and the plan, and end at once', async () => {
    const org = await newOrganization(1)
    const user_id = await newUser()
    expect(await accounts.membership(user_id, org.id)).toBeUndefined()
    expect(await accounts.setMember(org.id, user_id, 'member')).toBe('done')
    const expected = { org_id: org.id, user_id, role: 'member', plan: 'free' }
    expect(await accounts.membership(user_id, org.id)).toEqual(expected)
    await accounts.setMember(org.id, user_id, 'admin')
    expect(await accounts.membership(user_id, org.id)).toEqual({ ...expected, role: 'admin' })
    expect(await accounts.removeMember(org.id, user_id)).toBe('done')
    expect(await accounts.membership(user_id, org.id)).toBeUndefined()
  })

  it('are of one organisation and one user only', async () => {
    const [one, two] = [await newOrganization(1), await newOrganization(1)]
    const [owner = ''] = one.owners
    expect(await accounts.membership(owner, two.id)).toBeUndefined()
    expect((await accounts.listMembers(two.id)).map(({ user_id }) => user_id)).toEqual(two.owners)
    expect(await accounts.listOrganizations(owner)).toMatchObject([{ id: one.id, role: 'owner' }])
    expect(await accounts.removeMember(two.id, owner)).toBe('not_found')
    expect(await accounts.membership(owner, one.id)).toMatchObject({ role: 'owner' })
  })

  it('need an organisation and a user that exist', async () => {
    const org = await newOrganization(1)
    for (const id of [unknownId(), 'no-uuid']) {
      expect(await accounts.setMember(org.id, id, 'admin')).toBe('not_found')
      expect(await accounts.setMember(id, org.owners[0] ?? '', 'admin')).toBe('not_found')
      expect(await accounts.removeMember(org.id, id)).toBe('not_found')
      expect(await accounts.membership(id, org.id)).toBeUndefined()
    }
  })

  it('never leave an organisation without an owner', async () => {
    const { id, owners } = await newOrganization(2)
    const [first = '', last = ''] = owners
    expect(await accounts.setMember(id, first, 'member')).toBe('done')
    expect(await accounts.setMember(id, last, 'admin')).toBe('last_owner')
    expect(await accounts.removeMember(id, last)).toBe('last_owner')
    expect(await accounts.setMember(id, last, 'owner')).toBe('done')
    expect(await accounts.membership(last, id)).toMatchObject({ role: 'owner' })
  })

  it('never leave an organisation without an owner when all leave at once', async () => {
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
