import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import type { OwnSession, TokenPair } from '../index.ts'

const OLD = 'correct horse battery'
const NEW = 'a better password'
const harness = useHarness()

async function newUser() {
  const { accounts } = harness().services
  const email = `${harness().stores.newId(new Date())}@example.com`
  await accounts.createUser({ email, password: OLD })
  const signIn = async (agent: string): Promise<TokenPair> => {
    const tokens = await accounts.signIn(email, OLD, { user_agent: agent })
    if (!tokens) throw new Error('the sign-in failed')
    return tokens
  }
  return { email, signIn }
}

const call = async <T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { access_token }: TokenPair,
  body?: object,
) =>
  await harness().call<T>({
    method,
    path: `/console/api/me${path}`,
    token: access_token,
    ...(body && { body }),
  })
const goesOn = async (pair: TokenPair) =>
  (await harness().services.accounts.refresh(pair.refresh_token)) !== undefined

describe('the password of the signed-in user', () => {
  it('is changed with the current password, which ends all other sessions', async () => {
    const { email, signIn } = await newUser()
    const [here, elsewhere] = [await signIn('here'), await signIn('elsewhere')]
    const changed = await call('POST', '/password', here, { current: OLD, next: NEW })
    expect(changed.status).toBe(200)
    expect(await goesOn(elsewhere)).toBe(false)
    expect(await goesOn(here)).toBe(true)
    const { accounts } = harness().services
    expect(await accounts.signIn(email, OLD)).toBeUndefined()
    expect(await accounts.signIn(email, NEW)).toBeDefined()
  })

  it('stays, with all sessions, when the current one is wrong or the next too weak', async () => {
    const { signIn } = await newUser()
    const [here, elsewhere] = [await signIn('here'), await signIn('elsewhere')]
    for (const [field, body] of [
      ['current', { current: 'wrong', next: NEW }],
      ['next', { current: OLD, next: 'short' }],
      ['next', { current: OLD, next: 'x'.repeat(257) }],
    ] as const) {
      const answer = await call<{ field: string }>('POST', '/password', here, body)
      expect([answer.status, answer.body.content.field]).toEqual([400, field])
    }
    expect(await goesOn(elsewhere)).toBe(true)
  })

  it('is rate-limited against guessing', async () => {
    const { signIn } = await newUser()
    const here = await signIn('here')
    const statuses: number[] = []
    for (let n = 0; n < 11; n += 1) {
      const body = { current: 'wrong', next: NEW }
      statuses.push((await call('POST', '/password', here, body)).status)
    }
    expect(statuses.slice(9)).toEqual([400, 429])
  })
})

describe('the sessions of the signed-in user', () => {
  it('are listed with the current one marked, and ended one by one', async () => {
    const { signIn } = await newUser()
    const here = await signIn('Browser\u0000 one')
    const elsewhere = await signIn('x'.repeat(400))
    const list = async () =>
      (await call<{ sessions: OwnSession[] }>('GET', '/sessions', here)).body.content.sessions
    const sessions = await list()
    expect(sessions.map(({ user_agent, is_current }) => [user_agent, is_current])).toEqual([
      ['x'.repeat(300), false],
      ['Browser one', true],
    ])
    const other = sessions.find(({ is_current }) => !is_current)?.id ?? ''
    expect((await call('DELETE', `/sessions/${other}`, here)).status).toBe(200)
    expect((await call('DELETE', `/sessions/${other}`, here)).status).toBe(404)
    expect(await goesOn(elsewhere)).toBe(false)
    expect(await list()).toHaveLength(1)
  })

  it('of others are neither listed nor ended', async () => {
    const [one, two] = [await newUser(), await newUser()]
    const [mine, theirs] = [await one.signIn('mine'), await two.signIn('theirs')]
    const claims = await harness().services.accounts.verifyAccess(theirs.access_token)
    const foreign = await call('DELETE', `/sessions/${claims?.session_id}`, mine)
    expect(foreign.status).toBe(404)
    expect((await call('DELETE', '/sessions/x', mine)).status).toBe(404)
    expect(await goesOn(theirs)).toBe(true)
  })
})
