import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SmtpEmulator, startSmtp } from '../../../../emulators/smtp.ts'
import { ownDatabase } from '../../../../test/database.ts'
import { type Harness, openHarness } from '../../../../test/harness.ts'
import { mailTo } from '../../../../test/support/mails.ts'
import type { Role } from '../tables.ts'

const db = ownDatabase()
const PASSWORD = 'correct horse battery staple'
const NEXT = 'another long pass phrase of mine'
const SITE = 'https://vigil.example'
let smtp: SmtpEmulator
let mailed: Harness
/** The same installation without a mail server. */
let silent: Harness

beforeAll(async () => {
  smtp = await startSmtp()
  const settings = { VIGIL_RATE_LIMIT_SIGN_IN: '1000/60', VIGIL_PUBLIC_URL: SITE }
  const mail = { VIGIL_SMTP_URL: smtp.url, VIGIL_SMTP_FROM: 'Vigil <vigil@vigil.example>' }
  mailed = await openHarness({
    db,
    settings: { ...settings, ...mail, VIGIL_NOTIFICATION_POLL_MS: '10' },
  })
  silent = await openHarness({ db, settings })
  for (const each of mailed.parts.accounts.dispatchers ?? []) each.start()
})
afterAll(async () => {
  for (const each of mailed.parts.accounts.dispatchers ?? []) await each.stop(1000)
  await silent.close()
  await mailed.close()
  await smtp.close()
})

const AUTH = '/console/api/auth'
let addresses = 0
const newEmail = () => {
  addresses += 1
  return `user-${addresses}@shop.example`
}

async function newUser(role: Role = 'owner', org_id?: string) {
  const { accounts } = mailed.services
  const org = org_id ?? (await mailed.createTenant()).org_id
  const email = newEmail()
  const created = await accounts.createUser({ email, password: PASSWORD })
  if ('refused' in created) throw new Error(created.refused)
  await accounts.setMember(org, created.user_id, role)
  const tokens = await accounts.issueTokens(created.user_id)
  return { user_id: created.user_id, email, org_id: org, token: tokens?.access_token ?? '' }
}

const post = async <T = { field?: string }>(path: string, body: object, token?: string) =>
  await mailed.call<T>({ method: 'POST', path, body, ...(token !== undefined && { token }) })

const signsIn = async (email: string, password: string) =>
  (await mailed.services.accounts.signIn(email, password)) !== undefined

const received = async (to: string, subject: string, count = 1) =>
  await mailTo(smtp, to, subject, count)

const askFor = async (email: string) => await post(`${AUTH}/password-reset/request`, { email })
const use = async (token: string, password = NEXT) =>
  await post(`${AUTH}/password-reset`, { token, password })

describe('a new password by e-mail', () => {
  it('is set once with a link of the public address, and ends all sessions', async () => {
    const { email, token } = await newUser()
    expect((await askFor(email.toUpperCase())).body.content).toEqual({ is_mailed: true })
    const mail = await received(email, 'Set a new password')
    expect(mail.link).toMatch(new RegExp(`^${SITE}/console/reset#vpr_[0-9A-Za-z]{38}$`))
    const shown = await post(`${AUTH}/password-reset/show`, { token: mail.token })
    expect(shown.body.content).toEqual({ email })
    expect((await use(mail.token, 'short')).body.content.field).toBe('password')
    const uses = await Promise.all([use(mail.token), use(mail.token)])
    expect(uses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
    expect((await mailed.get('/console/api/me', { token })).status).toBe(401)
    expect(await signsIn(email, NEXT)).toBe(true)
    expect(await signsIn(email, PASSWORD)).toBe(false)
    await received(email, 'Your password was changed')
  })

  it('is answered the same way for unknown addresses, which get no mail', async () => {
    const { email } = await newUser()
    const unknown = await askFor('nobody@shop.example')
    const known = await askFor(email)
    expect(unknown.body).toEqual(known.body)
    await received(email, 'Set a new password')
    expect(smtp.received.filter(({ to }) => to.includes('nobody@shop.example'))).toEqual([])
  })

  it('cannot be set with an older link after the password was changed', async () => {
    const { email, user_id } = await newUser()
    await askFor(email)
    const { token } = await received(email, 'Set a new password')
    await mailed.services.accounts.setPassword(user_id, NEXT)
    expect((await use(token, 'a third long pass phrase of mine')).status).toBe(404)
  })

  it('is sent three times an hour at most', async () => {
    const { email } = await newUser()
    for (let n = 0; n < 5; n += 1) await askFor(email)
    await received(email, 'Set a new password', 3)
    const { rows } = await sql`select from account_mails where kind = 'reset_request'`.execute(db)
    expect(rows).toEqual([])
    expect(smtp.received.filter(({ to }) => to.includes(email))).toHaveLength(3)
  })

  it('does not stand in for the second factor', async () => {
    const { email, token } = await newUser()
    const path = '/console/api/me/second-factor/begin'
    await post(path, { password: PASSWORD }, token)
    await sql`update user_second_factors set confirmed_at = now()`.execute(db)
    await askFor(email)
    const link = await received(email, 'Set a new password')
    expect((await use(link.token)).status).toBe(200)
    const answer = await post(`${AUTH}/login`, { email, password: NEXT })
    expect([answer.status, answer.body.content.field]).toEqual([401, 'code'])
    await sql`delete from user_second_factors`.execute(db)
  })

  it('is in no table as a token', async () => {
    const { email } = await newUser()
    smtp.setScenario({ recipients: { [email]: { code: 451, times: 1 } } })
    await askFor(email)
    // While it is being sent, a retry is not yet planned.
    await expect
      .poll(async () => {
        const { rows } = await sql<{ row: string }>`
          select row_to_json(m)::text as row from account_mails m
          where attempts > 0 and lease_id is null`.execute(db)
        return rows.map(({ row }) => row).join('')
      })
      .toContain('password_reset')
    const { rows } = await sql<{ row: string }>`
      select row_to_json(m)::text as row from account_mails m
      union all select row_to_json(r)::text from password_resets r`.execute(db)
    await sql`update account_mails set due_at = now()`.execute(db)
    const { token } = await received(email, 'Set a new password')
    expect(rows.map(({ row }) => row).join('')).not.toContain(token)
    smtp.setScenario({})
  })
})

describe('a new password by an admin', () => {
  type Link = { token: string | null; field?: string }
  const reset = async (
    harness: Harness,
    { org_id, token }: { org_id: string; token: string },
    userId: string,
  ) =>
    await harness.call<Link>({
      method: 'POST',
      path: `/console/api/members/${userId}/password-reset`,
      body: { org_id },
      token,
    })

  it('is mailed to the member, and the admin sees no link', async () => {
    const admin = await newUser('admin')
    const member = await newUser('member', admin.org_id)
    const answer = await reset(mailed, admin, member.user_id)
    expect(answer.body.content.token).toBeNull()
    const { token } = await received(member.email, 'Set a new password')
    expect((await use(token)).status).toBe(200)
  })

  it('is a link without a mail server, which is not for owners, oneself and strangers', async () => {
    const admin = await newUser('admin')
    const owner = await newUser('owner', admin.org_id)
    const member = await newUser('member', admin.org_id)
    const stranger = await newUser()
    const { status, body } = await reset(silent, admin, member.user_id)
    expect(status).toBe(200)
    expect((await reset(silent, admin, owner.user_id)).status).toBe(403)
    expect((await reset(silent, admin, admin.user_id)).status).toBe(400)
    expect((await reset(silent, admin, stranger.user_id)).status).toBe(404)
    expect((await reset(silent, member, admin.user_id)).status).toBe(403)
    expect((await use(body.content.token ?? '')).status).toBe(200)
    expect(await signsIn(member.email, NEXT)).toBe(true)
  })

  it('cannot take over an account that also belongs to another organization', async () => {
    const admin = await newUser('admin')
    const both = await newUser('member', admin.org_id)
    const other = await newUser()
    const { body } = await reset(silent, admin, both.user_id)
    const link = body.content.token ?? ''
    await mailed.services.accounts.setMember(other.org_id, both.user_id, 'member')
    expect((await use(link)).status).toBe(404)
    const again = await reset(silent, admin, both.user_id)
    expect([again.status, again.body.content.field]).toEqual([400, 'user_id'])
    await mailed.services.accounts.removeMember(admin.org_id, both.user_id)
    await mailed.services.accounts.removeMember(other.org_id, both.user_id)
    expect((await use(link)).status).toBe(404)
    expect(await signsIn(both.email, PASSWORD)).toBe(true)
  })
})

/** `Join <b>Shop</b> & "Sons"` as RFC 2047 writes it. */
const ENCODED_SUBJECT = '=?UTF-8?Q?Join_=3Cb=3EShop=3C/b=3E_=26_=22Sons=22?='

describe('an invitation by e-mail', () => {
  type Created = { token: string | null; id: string; is_mailed: boolean }
  const invite = async (user: { org_id: string; token: string }, more: object) =>
    await post<Created>('/console/api/invitations', { org_id: user.org_id, ...more }, user.token)

  it('shows no link, proves the address, and escapes what people write', async () => {
    const owner = await newUser()
    const { accounts } = mailed.services
    await accounts.renameOrganization(owner.org_id, '<b>Shop</b> & "Sons"', owner.user_id)
    const email = newEmail()
    const created = await invite(owner, { email, role: 'member' })
    expect(created.body.content).toMatchObject({ token: null, is_mailed: true })
    const mail = await received(email, ENCODED_SUBJECT)
    expect(mail.html).not.toContain('<b>Shop')
    expect(mail.html).toContain('&#60;b&#62;Shop')
    expect(mail.link).toContain(`${SITE}/console/invitation#vit_`)
    const accepted = await post('/console/api/invitations/accept', {
      token: mail.token,
      password: NEXT,
    })
    expect(accepted.status).toBe(200)
    expect(await accounts.listUsers(email)).toMatchObject([{ is_proved: true }])
  })

  it('is a link on demand, which proves nothing', async () => {
    const owner = await newUser()
    const email = newEmail()
    const created = await invite(owner, { email, role: 'member', delivery: 'link' })
    const { token } = created.body.content
    expect(token).toMatch(/^vit_/)
    await post('/console/api/invitations/accept', { token, password: NEXT })
    expect(await mailed.services.accounts.listUsers(email)).toMatchObject([{ is_proved: false }])
    const none = await silent.call<{ field: string }>({
      method: 'POST',
      path: '/console/api/invitations',
      body: { org_id: owner.org_id, email: newEmail(), role: 'member', delivery: 'mail' },
      token: owner.token,
    })
    expect([none.status, none.body.content.field]).toEqual([400, 'delivery'])
  })
})

describe('another e-mail address', () => {
  const begin = async (token: string, email: string, password = PASSWORD) =>
    await post('/console/api/me/email', { email, password }, token)
  const follow = async (action: string, token: string) =>
    await post<{ is_complete: boolean }>(`${AUTH}/email-change/${action}`, { token })
  const OLD = 'Confirm the new e-mail address of your account'
  const NEW = 'Confirm your new e-mail address'

  it('needs the password, and both addresses in any order', async () => {
    const { email, token } = await newUser()
    const next = newEmail()
    expect((await begin(token, next, 'wrong')).body.content.field).toBe('password')
    expect((await begin(token, 'no address')).body.content.field).toBe('email')
    expect((await begin(token, next)).status).toBe(200)
    const [old, fresh] = [await received(email, OLD), await received(next, NEW)]
    expect((await follow('confirm', fresh.token)).body.content.is_complete).toBe(false)
    expect((await follow('confirm', fresh.token)).body.content.is_complete).toBe(false)
    expect(await signsIn(next, PASSWORD)).toBe(false)
    expect((await follow('confirm', old.token)).body.content.is_complete).toBe(true)
    expect(await signsIn(next, PASSWORD)).toBe(true)
    expect((await follow('confirm', old.token)).status).toBe(404)
    await received(email, 'Your e-mail address was changed')
  })

  it('is canceled by either address, a new password or the user', async () => {
    for (const end of ['old', 'new', 'password', 'user'] as const) {
      const { email, token, user_id } = await newUser()
      const next = newEmail()
      await begin(token, next)
      const [old, fresh] = [await received(email, OLD), await received(next, NEW)]
      await follow('confirm', end === 'old' ? fresh.token : old.token)
      if (end === 'old') await follow('cancel', old.token)
      if (end === 'new') await follow('cancel', fresh.token)
      if (end === 'password') await mailed.services.accounts.setPassword(user_id, NEXT)
      if (end === 'user') {
        await mailed.call({ method: 'DELETE', path: '/console/api/me/email', token })
      }
      for (const each of [old, fresh])
        expect((await follow('confirm', each.token)).status).toBe(404)
      expect(await mailed.services.accounts.findEmail(user_id)).toBe(email)
    }
  })

  it('of another account is not taken from it, and the request does not reveal it', async () => {
    const [ann, bob] = [await newUser(), await newUser()]
    expect((await begin(ann.token, bob.email)).status).toBe(200)
    const [old, fresh] = [await received(ann.email, OLD), await received(bob.email, NEW)]
    await follow('confirm', old.token)
    expect((await follow('confirm', fresh.token)).status).toBe(400)
    expect(await mailed.services.accounts.findEmail(ann.user_id)).toBe(ann.email)
  })

  it('needs a recent proof from users with a second factor', async () => {
    const { token, user_id } = await newUser()
    await post('/console/api/me/second-factor/begin', { password: PASSWORD }, token)
    await sql`update user_second_factors set confirmed_at = now()
      where user_id = ${user_id}`.execute(db)
    await sql`update sessions set factor_at = null where user_id = ${user_id}`.execute(db)
    const answer = await begin(token, newEmail())
    expect([answer.status, answer.body.content.field]).toEqual([403, 'code'])
  })
})

describe('a sign-in from a new browser', () => {
  it('is mailed to the user', async () => {
    const { email } = await newUser()
    const { accounts } = mailed.services
    await accounts.signIn(email, PASSWORD, { address: '198.51.100.7', user_agent: 'curl/8' })
    await accounts.signIn(email, PASSWORD, { address: '203.0.113.9', user_agent: 'curl/8' })
    const { text } = await received(email, 'Sign-in from a new browser')
    expect(text).toContain('203.0.113.9')
  })
})
