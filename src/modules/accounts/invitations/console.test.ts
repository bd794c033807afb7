import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import {
  type CreatedInvitation,
  INVITATIONS_MAX,
  type Invitation,
  type InvitationPreview,
} from '../index.ts'
import type { Role } from '../tables.ts'

const PASSWORD = 'correct horse battery'
let now = new Date('2031-02-01T00:00:00Z').getTime()
const harness = useHarness({
  clock: { now: () => new Date(now) },
  settings: { VIGIL_RATE_LIMIT_SIGN_IN: '1000/60' },
})

const strict = useHarness({ settings: { VIGIL_RATE_LIMIT_SIGN_IN: '3/60' } })

/** Without a mail server, the link is shown. */
type Shown = CreatedInvitation & { token: string }
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
    await post<Shown & { field: string }>('', { org_id, email, role }, token)
  return { org_id, owner, invite }
}

const emailOf = async (token: string) =>
  (await harness().get<{ email: string }>('/console/api/me', { token })).body.content.email
const show = async (token: string) => await post<InvitationPreview>('/show', { token })
const accept = async (token: string, password = PASSWORD) =>
  await post<Joined>('/accept', { token, password })
const roleOf = async (orgId: string, email: string) =>
  (await harness().services.accounts.listMembers(orgId)).find((member) => member.email === email)
    ?.role

describe('an invitation', () => {
  it('can get a new link even at the maximum number of invitations', async () => {
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
          is_mailed: false,
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

  it('does not let a removed member back in', async () => {
    const { org_id, owner, invite } = await newOrganization()
    const { accounts } = harness().services
    const email = newEmail()
    const { token } = (await invite(email)).body.content
    // For example on the command line, before the link is used.
    const user = await accounts.createUser({ email, password: PASSWORD })
    if ('refused' in user) throw new Error(user.refused)
    await accounts.setMember(org_id, user.user_id, 'member')
    const path = `/console/api/members/${user.user_id}?org_id=${org_id}`
    const removed = await harness().call({ method: 'DELETE', path, token: owner })
    expect(removed.status).toBe(200)
    expect((await show(token)).status).toBe(404)
  })

  it('lets a new person join by its link once', async () => {
    const { org_id, invite } = await newOrganization()
    const email = newEmail()
    const { token } = (await invite(email, 'admin')).body.content
    expect((await show(token)).body.content).toEqual({
      organization: 'Test shop',
      email,
      role: 'admin',
      expires_at: new Date(now + 7 * DAY_MS).toISOString(),
    })
    expect((await accept(token, 'short')).body.content.field).toBe('password')
    expect((await accept(token)).body.content).toEqual({ org_id, email })
    expect(await roleOf(org_id, email)).toBe('admin')
    expect(await harness().services.accounts.signIn(email, PASSWORD)).toBeDefined()
    expect((await show(token)).status).toBe(404)
    expect((await accept(token)).status).toBe(404)
  })

  it('creates one membership when its link is used many times concurrently', async () => {
    const { org_id, invite } = await newOrganization()
    const email = newEmail()
    const { token } = (await invite(email)).body.content
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(token)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 404, 404, 404, 404,
    ])
    expect(await roleOf(org_id, email)).toBe('member')
  })

  it('is accepted by a signed-in user with the invited e-mail only', async () => {
    const { org_id, invite } = await newOrganization()
    const elsewhere = await newOrganization()
    const other = await harness().signIn(elsewhere.org_id)
    const user = await harness().signIn(elsewhere.org_id)
    const email = await emailOf(user)
    const { token } = (await invite(email.toUpperCase())).body.content
    expect((await post('/join', { token })).status).toBe(401)
    expect((await post('/join', { token }, other)).status).toBe(403)
    const joined = await post<Joined>('/join', { token }, user)
    expect(joined.body.content).toEqual({ org_id, email })
    expect(await roleOf(org_id, email)).toBe('member')
    expect((await post('/join', { token }, user)).status).toBe(404)
  })

  it('stops working when it expires, is revoked, or the address is invited again', async () => {
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

  it('stops working when the inviter loses the right to invite', async () => {
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

  it('can be created by admins, and for the role owner by owners', async () => {
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

  it('is refused with the reason', async () => {
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

  it('is rate-limited against guessing', async () => {
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

describe('an invited e-mail', () => {
  const tokensOf = async (email: string, password: string, org_id?: string) =>
    await harness().services.accounts.signIn(email, password, { org_id })
  const organizationsOf = async (email: string, password: string, orgId?: string) => {
    const { user_id = '' } =
      (await harness().services.accounts.verifyAccess(
        (await tokensOf(email, password, orgId))?.access_token ?? '',
      )) ?? {}
    const organizations = await harness().services.accounts.listOrganizations(user_id)
    return organizations.map(({ id }) => id).toSorted()
  }

  it('is not taken from its owner by a stranger who invited it', async () => {
    const [theirs, mine] = [await newOrganization(), await newOrganization()]
    const email = newEmail()
    const squatted = (await theirs.invite(email)).body.content
    expect((await accept(squatted.token, 'the password of a stranger')).status).toBe(200)

    const { token } = (await mine.invite(email.toUpperCase(), 'owner')).body.content
    expect((await accept(token)).body.content).toMatchObject({ org_id: mine.org_id })
    expect(await organizationsOf(email, PASSWORD)).toEqual([mine.org_id])
    expect(await organizationsOf(email, 'the password of a stranger')).toEqual([theirs.org_id])
  })

  it('does not reveal whether it has an account, by any answer', async () => {
    const known = newEmail()
    await harness().services.accounts.createUser({ email: known, password: PASSWORD })
    const answers = await Promise.all(
      [known, newEmail()].map(async (email) => {
        const { invite } = await newOrganization()
        const invited = await invite(email)
        const { token } = invited.body.content
        const shown = await show(token)
        const accepted = await accept(token, 'a password of an attacker')
        return [invited, shown, accepted].map(({ status, body }) => [
          status,
          body.message,
          Object.keys(body.content),
        ])
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(await tokensOf(known, PASSWORD)).toBeDefined()
  })

  it('joins with the account that has this password, instead of a second one', async () => {
    const [one, two] = [await newOrganization(), await newOrganization()]
    const email = newEmail()
    for (const { invite } of [one, two]) {
      const { token } = (await invite(email)).body.content
      expect((await accept(token)).status).toBe(200)
    }
    expect(await organizationsOf(email, PASSWORD)).toEqual([one.org_id, two.org_id].toSorted())
    expect(await harness().services.accounts.listUsers(email)).toHaveLength(1)
  })

  it('can be used by any number of strangers without keeping its owner out', async () => {
    const mine = await newOrganization()
    const email = newEmail()
    for (let n = 0; n < 4; n += 1) {
      const { invite } = await newOrganization()
      const { token } = (await invite(email)).body.content
      expect((await accept(token, `the password of stranger ${n}`)).status).toBe(200)
    }
    const { token } = (await mine.invite(email, 'owner')).body.content
    expect((await accept(token)).status).toBe(200)
    const { accounts } = harness().services
    const signedIn = await tokensOf(email, PASSWORD, mine.org_id)
    expect(await accounts.verifyAccess(signedIn?.access_token ?? '')).toBeDefined()
    const [own] = await accounts.listUsers(email, mine.org_id)
    expect(await accounts.proveEmail(own?.id ?? '')).toBe('done')
    expect(await organizationsOf(email, PASSWORD)).toEqual([mine.org_id])
  })

  it('is proved by one account, of several that try at the same time', async () => {
    const email = newEmail()
    for (const password of ['the password of one person', 'the password of another']) {
      const { invite } = await newOrganization()
      await accept((await invite(email)).body.content.token, password)
    }
    const { accounts } = harness().services
    const users = await accounts.listUsers(email)
    expect(users.map(({ is_proved }) => is_proved)).toEqual([false, false])
    const outcomes = await Promise.all([
      ...users.map(({ id }) => accounts.proveEmail(id)),
      accounts.createUser({ email: email.toUpperCase() }),
    ])
    const refused = outcomes.filter((outcome) => outcome !== 'done' && 'refused' in outcome)
    expect(refused).toEqual([{ refused: 'email_taken' }, { refused: 'email_taken' }])
    const [first] = await accounts.listUsers(email)
    expect(first?.is_proved).toBe(true)
    expect(await accounts.proveEmail(first?.id ?? '')).toBe('done')
  })

  it('cannot be used to guess the password of its account faster than by signing in', async () => {
    const { createTenant, signIn, services, app } = strict()
    const { org_id } = await createTenant()
    const { user_id = '' } = (await services.accounts.verifyAccess(await signIn(org_id))) ?? {}
    const statuses: number[] = []
    for (let n = 0; n < 3; n += 1) {
      const { org_id: other } = await createTenant()
      await services.accounts.setMember(other, user_id, 'owner')
      const invited = await services.accounts.invite(
        other,
        { email: 'victim@shop.example', role: 'member' },
        user_id,
      )
      const { statusCode } = await app.inject({
        method: 'POST',
        url: '/console/api/invitations/accept',
        remoteAddress: '203.0.113.77',
        payload: { token: 'token' in invited ? invited.token : '', password: `${PASSWORD} ${n}` },
      })
      statuses.push(statusCode)
    }
    expect(statuses).toEqual([200, 200, 429])
  })
})
