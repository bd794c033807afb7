import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { readSecret } from '../../../../test/support/authenticator-app.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import { createSecondFactors, WRONG_CODES_MAX } from './service.ts'
import { codeAt, stepAt } from './totp.ts'

const harness = useHarness({
  settings: { VIGIL_RATE_LIMIT_SIGN_IN: '1000/60', VIGIL_RATE_LIMIT_CONSOLE: '1000/60' },
})
const PASSWORD = 'correct horse battery staple'
const ROOT = '/console/api/me/second-factor'
const STEP_MS = 30_000

type Codes = { recovery_codes: string[] }

async function newUser() {
  const { accounts } = harness().services
  const { org_id } = await harness().createTenant()
  const email = `${harness().stores.newId(new Date())}@vigil.test`
  const created = await accounts.createUser({ email, password: PASSWORD })
  if ('refused' in created) throw new Error(created.refused)
  await accounts.setMember(org_id, created.user_id, 'owner')
  const login = async (extra: object = {}) => {
    const path = '/console/api/auth/login'
    const body = { email, password: PASSWORD, ...extra }
    return await harness().call<{ access_token: string; field?: string }>({
      method: 'POST',
      path,
      body,
    })
  }
  const token = (await login()).body.content.access_token
  const post = async <T>(name: string, body: object) =>
    await harness().call<T>({ method: 'POST', path: `${ROOT}/${name}`, token, body })
  return { user_id: created.user_id, email, org_id, token, login, post }
}

async function withSecondFactor() {
  const user = await newUser()
  const begun = await user.post<{ secret: string }>('begin', { password: PASSWORD })
  const secret = readSecret(begun.body.content.secret)
  /** A code of the next period, because that of this one confirms the second factor. */
  const nextCode = () => codeAt(secret, stepAt(new Date()) + 1)
  const confirmed = await user.post<Codes>('confirm', { code: codeAt(secret, stepAt(new Date())) })
  expect(confirmed.status).toBe(200)
  return { ...user, secret, nextCode, recovery_codes: confirmed.body.content.recovery_codes }
}

describe('a second factor', () => {
  it('is required after the right password only, and each code works once', async () => {
    const { login, nextCode } = await withSecondFactor()
    const first = await login()
    expect([first.status, first.body.content.field]).toEqual([401, 'code'])
    expect((await login({ password: 'wrong' })).body.message).toBe('Wrong e-mail or password')
    const code = nextCode()
    expect((await login({ code: '000' })).body.content.field).toBe('code')
    expect((await login({ code })).status).toBe(200)
    expect((await login({ code })).status).toBe(401)
  })

  it('can be replaced by recovery codes, each once, until new ones are created', async () => {
    const { login, post, nextCode, recovery_codes, token } = await withSecondFactor()
    const [first = '', second = ''] = recovery_codes
    expect(first).toMatch(/^(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    expect((await login({ code: first.toUpperCase() })).status).toBe(200)
    expect((await login({ code: first })).status).toBe(401)
    const state = await harness().call({ method: 'GET', path: ROOT, token })
    expect(state.body.content).toEqual({ is_on: true, recovery_codes_left: 9, passkeys: 0 })
    const renewed = await post<Codes>('recovery-codes', { code: nextCode() })
    expect((await login({ code: second })).status).toBe(401)
    const [fresh = ''] = renewed.body.content.recovery_codes
    expect((await login({ code: fresh })).status).toBe(200)
  })

  it('is off until a code of the app confirms it, and needs the password to begin', async () => {
    const { login, post } = await newUser()
    const refused = await post<{ field: string }>('begin', { password: 'guess' })
    expect([refused.status, refused.body.content.field]).toEqual([400, 'password'])
    expect((await post('confirm', { code: '123456' })).status).toBe(400)
    await post('begin', { password: PASSWORD })
    expect((await post('confirm', { code: 'abcdef' })).status).toBe(400)
    expect((await login()).status).toBe(200)
  })

  it('is removed with a code, or by the operator, and the audit log names both', async () => {
    const { user_id, email, org_id, login, post, nextCode, token } = await withSecondFactor()
    expect((await post('begin', { password: PASSWORD })).status).toBe(400)
    expect((await post('remove', { code: '000000' })).status).toBe(400)
    expect((await post('remove', { code: nextCode() })).status).toBe(200)
    expect((await login()).status).toBe(200)
    expect(await harness().services.accounts.dropSecondFactor(user_id)).toBe(false)
    const path = `/console/api/audit?org_id=${org_id}`
    const log = await harness().call<{ entries: object[] }>({ method: 'GET', path, token })
    expect(log.body.content.entries.slice(0, 2)).toMatchObject([
      { action: 'second_factor.removed', actor_user_id: user_id, target: email },
      { action: 'second_factor.enabled', actor_user_id: user_id, target: email },
    ])
    const other = await withSecondFactor()
    expect(await harness().services.accounts.dropSecondFactor(other.user_id)).toBe(true)
    expect((await other.login()).status).toBe(200)
  })

  it('refuses all codes for a quarter of an hour after ten wrong ones', async () => {
    const { user_id, secret, login, recovery_codes } = await withSecondFactor()
    const time = { now: Date.now() }
    const { directory: db, newId, sealer } = harness().stores
    const clock = { now: () => new Date(time.now) }
    const passwords = { verify: () => Promise.resolve(true) }
    const { checkCode } = createSecondFactors({
      db,
      newId,
      clock,
      sealer,
      passwords: passwords as unknown as Parameters<typeof createSecondFactors>[0]['passwords'],
    })
    for (let n = 0; n < WRONG_CODES_MAX; n += 1) {
      expect(await checkCode(user_id, 'wrong')).toBe('wrong')
    }
    expect(await checkCode(user_id, recovery_codes[0])).toBe('blocked')
    expect((await login({ code: recovery_codes[0] })).status).toBe(429)
    time.now += 15 * MINUTE_MS
    const code = codeAt(secret, stepAt(clock.now()))
    expect(await checkCode(user_id, code)).toBe('accepted')
    time.now += STEP_MS
    expect(await checkCode(user_id, code)).toBe('wrong')
  })

  it('is used up by one of two concurrent sign-ins', async () => {
    const { login, nextCode } = await withSecondFactor()
    const code = nextCode()
    const answers = await Promise.all([login({ code }), login({ code })])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(1)
  })
})
