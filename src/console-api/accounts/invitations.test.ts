import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import {
  type CreatedInvitation,
  INVITATIONS_MAX,
  type Invitation,
  type ShownInvitation,
} from '../../modules/accounts/index.ts'
import type { Role } from '../../platform/postgres/tables/accounts.ts'

const DAY_MS = 86_400_000
const PASSWORD = 'correct horse battery'
let now = new Date('2031-02-01T00:00:00Z').getTime()
const harness = useHarness({
  clock: { now: () => new Date(now) },
  settings: { VIGIL_RATE_LIMIT_SIGN_IN: '1000/60' },
})

const strict = useHarness({ settings: { VIGIL_RATE_LIMIT_SIGN_IN: '3/60' } })

type Joined = { org_id: string; email: string; field: string }

const post = async <T>(path: string, body: object, token?: string) =>
  await harness().call<T>({
    method: 'POST',
    path: `/console/api/invitations${path}`,
    body,
    ...(token !== undefined && { token }),
  })
const newEmail = () => `${harness().stores.newId(new Date())}@example.com`

async function newOrganization() {
  const { org_id } = await harness().createTenant()
  const owner = await harness().signIn(org_id)
  const invite = async (email: string, role: Role = 'member', token = owner) =>
    await post<CreatedInvitation & { field: string }>('', { org_id, email, role }, token)
  return { org_id, owner, invite }
}

const show = async (token: string) => await post<ShownInvitation>('/show', { token })
const accept = async (token: string, password = PASSWORD) =>
  await post<Joined>('/accept', { token, password })
const roleOf = async (orgId: string, email: string) =>
  (await harness().services.accounts.listMembers(orgId)).find((member) => member.email === email)
    ?.role

describe('an invitation', () => {
  it('gets a new link even where no more may be invited', async () => {
    const { org_id, invite } = await newOrganization()
    const { stores } = harness()
    await stores.db
      .insertInto('invitations')
      .values(
        Array.from({ length: INVITATIONS_MAX }, (_, n) => ({
          id: stores.newId(new Date()),
          org_id,
          email: `guest-${n}@example.com`,
          role: 'member' as const,
          token_hash: randomBytes(32),
          invited_by: null,
          expires_at: new Date(now + DAY_MS),
          created_at: new Date(now),
        })),
      )
      .execute()
    const refused = await invite(newEmail())
    expect([refused.status, refused.body.content.field]).toEqual([400, 'org_id'])
    const again = await invite('Guest-7@example.com')
    expect(again.status).toBe(200)
    expect((await show(again.body.content.token)).status).toBe(200)
  })

  it('does not let somebody back in who was a member and removed meanwhile', async () => {
    const { org_id, owner, invite } = await newOrganization()
    const { accounts } = harness().services
    const email = newEmail()
    const { token } = (await invite(email)).body.content
    // At the command line, say, while the link was on its way.
    const user = await accounts.createUser({ email, password: PASSWORD })
    if ('refused' in user) throw new Error(user.refused)
    await accounts.setMember(org_id, user.user_id, 'member')
    const path = `/console/api/members/${user.user_id}?org_id=${org_id}`
    const removed = await harness().call({ method: 'DELETE', path, token: owner })
    expect(removed.status).toBe(200)
    expect((await show(token)).status).toBe(404)
  })

  it('lets a new person in by its link, once', async () => {
    const { org_id, invite } = await newOrganization()
    const email = newEmail()
    const { token } = (await invite(email, 'admin')).body.content
    expect((await show(token)).body.content).toEqual({
      organization: 'Test shop',
      email,
      role: 'admin',
      expires_at: new Date(now + 7 * DAY_MS).toISOString(),
      has_account: false,
    })
    expect((await accept(token, 'short')).body.content.field).toBe('password')
    expect((await accept(token)).body.content).toEqual({ org_id, email })
    expect(await roleOf(org_id, email)).toBe('admin')
    expect(await harness().services.accounts.signIn(email, PASSWORD)).toBeDefined()
    expect((await show(token)).status).toBe(404)
    expect((await accept(token)).status).toBe(404)
  })

  it('gives one membership when its link is used many times at once', async () => {
    const { org_id, invite } = await newOrganization()
    const email = newEmail()
    const { token } = (await invite(email)).body.content
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(token)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 404, 404, 404, 404,
    ])
    expect(await roleOf(org_id, email)).toBe('member')
  })

  it('for somebody with an account needs a sign-in as that e-mail', async () => {
    const { org_id, invite } = await newOrganization()
    const elsewhere = await newOrganization()
    const other = await harness().signIn(elsewhere.org_id)
    const user = await harness().signIn(elsewhere.org_id)
    const me = await harness().call<{ email: string }>({
      method: 'GET',
      path: '/console/api/me',
      token: user,
    })
    const { email } = me.body.content
    const { token } = (await invite(email.toUpperCase())).body.content
    expect((await show(token)).body.content.has_account).toBe(true)
    expect((await accept(token)).body.content.field).toBe('token')
    expect((await post('/join', { token })).status).toBe(401)
    expect((await post('/join', { token }, other)).status).toBe(403)
    const joined = await post<Joined>('/join', { token }, user)
    expect(joined.body.content).toEqual({ org_id, email })
    expect(await roleOf(org_id, email)).toBe('member')
    expect((await post('/join', { token }, user)).status).toBe(404)
  })

  it('ends when it expires, is revoked, or the address is invited again', async () => {
    const { org_id, owner, invite } = await newOrganization()
    const expired = (await invite(newEmail())).body.content
    now += 7 * DAY_MS
    expect((await show(expired.token)).status).toBe(404)
    now -= 7 * DAY_MS - 1
    const email = newEmail()
    const first = (await invite(email)).body.content
    const second = (await invite(` ${email.toUpperCase()} `)).body.content
    expect((await accept(first.token)).status).toBe(404)
    const listed = await harness().call<{ invitations: Invitation[] }>({
      method: 'GET',
      path: `/console/api/invitations?org_id=${org_id}`,
      token: owner,
    })
    const { invitations } = listed.body.content
    expect(invitations.map(({ id }) => id)).toEqual([second.id, expired.id])
    expect(JSON.stringify(invitations)).not.toContain(second.token)
    const revoke = async () =>
      await harness().call({
        method: 'DELETE',
        path: `/console/api/invitations/${second.id}?org_id=${org_id}`,
        token: owner,
      })
    expect((await revoke()).status).toBe(200)
    expect((await revoke()).status).toBe(404)
    expect((await accept(second.token)).status).toBe(404)
  })

  it('ends with the power of the one who gave it', async () => {
    const { org_id, invite } = await newOrganization()
    const { accounts } = harness().services
    const helper = await harness().signIn(org_id, 'owner')
    const { user_id = '' } = (await accounts.verifyAccess(helper)) ?? {}
    const asOwner = (await invite(newEmail(), 'owner', helper)).body.content
    const asAdmin = (await invite(newEmail(), 'admin', helper)).body.content
    await accounts.setMember(org_id, user_id, 'admin')
    expect((await show(asOwner.token)).status).toBe(404)
    expect((await show(asAdmin.token)).status).toBe(200)
    await accounts.removeMember(org_id, user_id)
    expect((await show(asAdmin.token)).status).toBe(404)
  })

  it('is given by admins, and to become owner by owners', async () => {
    const { org_id, invite } = await newOrganization()
    const admin = await harness().signIn(org_id, 'admin')
    const member = await harness().signIn(org_id, 'member')
    const stranger = await harness().signIn((await newOrganization()).org_id)
    expect((await invite(newEmail(), 'admin', admin)).status).toBe(200)
    expect((await invite(newEmail(), 'owner', admin)).status).toBe(403)
    expect((await invite(newEmail(), 'member', member)).status).toBe(403)
    expect((await invite(newEmail(), 'member', stranger)).status).toBe(404)
    const list = { method: 'GET', path: `/console/api/invitations?org_id=${org_id}` } as const
    expect((await harness().call({ ...list, token: member })).status).toBe(403)
    expect((await harness().call({ ...list, token: stranger })).status).toBe(404)
  })

  it('names what is wrong with it', async () => {
    const { org_id, invite } = await newOrganization()
    expect((await invite('nobody')).body.content.field).toBe('email')
    expect((await invite(newEmail(), 'boss' as Role)).body.content.field).toBe('role')
    const { token } = (await invite('Here@example.com')).body.content
    await accept(token)
    expect((await invite('here@EXAMPLE.com')).body.content.field).toBe('email')
    expect(await roleOf(org_id, 'Here@example.com')).toBe('member')
    for (const guess of ['', 'x', 'vit_', `vit_${'0'.repeat(38)}`]) {
      expect([400, 404]).toContain((await show(guess)).status)
    }
  })

  it('cannot be guessed at quickly', async () => {
    const statuses: number[] = []
    for (const path of ['show', 'accept', 'show', 'accept']) {
      const body = { token: 'x', password: PASSWORD }
      const url = `/console/api/invitations/${path}`
      const { statusCode } = await strict().app.inject({ method: 'POST', url, payload: body })
      statuses.push(statusCode)
    }
    expect(statuses).toEqual([404, 404, 404, 429])
  })
})
