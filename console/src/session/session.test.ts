import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSession, type Session } from './session.ts'

type Answer = { status: number; content?: object }
type Asked = { action: string; answer: (answer: Answer) => void }

const LIFETIME_SECONDS = 900
const OUT: Answer = { status: 401 }
/** Of a service whose clock is half an hour behind that of the browser. */
const tokenOf = (user: string, issued = Math.floor(Date.now() / 1000) - 1800): string =>
  ['{}', JSON.stringify({ sub: user, iat: issued, exp: issued + LIFETIME_SECONDS }), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')
const signedIn = (user: string): Answer => ({
  status: 200,
  content: {
    access_token: tokenOf(user),
    expires_at: new Date(Date.now() - 900_000).toISOString(),
  },
})

/** What was asked and not answered yet, in its order. */
let waiting: Asked[] = []
let tokensSent: string[] = []
const Channel = BroadcastChannel
const channels: BroadcastChannel[] = []
let onAsked: () => void = () => undefined

beforeEach(() => {
  waiting = []
  tokensSent = []
  // Another browser for each test.
  const browser = randomUUID()
  const channelOf = (name: string) => {
    const channel = new Channel(`${name}:${browser}`)
    channels.push(channel)
    return channel
  }
  vi.stubGlobal('BroadcastChannel', function channel(name: string) {
    return channelOf(name)
  })
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const { status, content } = await new Promise<Answer>((answer) => {
      waiting.push({ action: path.split('/').at(-1) ?? '', answer })
      const { authorization } = init.headers as Record<string, string>
      if (authorization !== undefined) tokensSent.push(authorization)
      onAsked()
    })
    return Response.json({ success: status < 400, message: 'said', content }, { status })
  })
})
afterEach(() => {
  for (const channel of channels.splice(0)) channel.close()
  vi.unstubAllGlobals()
})

/** The next question to the service; it waits for it. */
async function next(action: string): Promise<(answer: Answer) => void> {
  while (waiting.length === 0) {
    await new Promise<void>((resolve) => {
      onAsked = resolve
    })
  }
  const asked = waiting.shift()
  expect(asked?.action).toBe(action)
  return asked?.answer ?? expect.fail('nothing was asked')
}

/** A browser without locks, as there are none outside of TLS. */
const open = () => createSession({ navigator: {} as Navigator })

async function openAs(user: string): Promise<Session> {
  const session = open()
  const done = session.resume()
  ;(await next('refresh'))(signedIn(user))
  await done
  return session
}

describe('the session of a tab', () => {
  it('stays ended when a refresh that was under way comes back after it', async () => {
    const session = await openAs('ann')
    const resumed = session.resume()
    const refreshed = await next('refresh')
    const out = session.signOut()
    ;(await next('logout'))({ status: 200, content: {} })
    await out
    refreshed(signedIn('ann'))
    await resumed
    expect([session.state(), session.user()]).toEqual(['signed_out', undefined])
    await expect(session.call({ path: '/x' })).rejects.toMatchObject({ status: 401 })
  })

  it('goes on, and says so, when it could not be ended', async () => {
    const session = await openAs('ann')
    const out = session.signOut()
    ;(await next('logout'))({ status: 500 })
    await expect(out).rejects.toMatchObject({ status: 500 })
    expect(session.state()).toBe('signed_in')
  })

  it('uses an access token as long as it lasts, whatever the clock of the browser says', async () => {
    const session = await openAs('ann')
    const called = session.call({ path: '/thing' })
    ;(await next('thing'))({ status: 200, content: {} })
    await called
    expect(tokensSent).toHaveLength(1)
  })
})

describe('sessions of two tabs', () => {
  it('are those of one user: who signs in elsewhere is the user here too', async () => {
    const session = await openAs('ann')
    const users: (string | undefined)[] = []
    session.subscribe(() => users.push(session.user()))
    const other = open()
    const signing = other.signIn('bob@shop.example', 'password')
    ;(await next('login'))(signedIn('bob'))
    await signing
    ;(await next('refresh'))(signedIn('bob'))
    await vi.waitFor(() => expect(session.user()).toBe('bob'))
    expect(session.state()).toBe('signed_in')
    expect(users).toEqual(['bob'])
  })

  it('end together', async () => {
    const session = await openAs('ann')
    const other = await openAs('ann')
    const out = other.signOut()
    ;(await next('logout'))({ status: 200, content: {} })
    await out
    await vi.waitFor(() => expect(session.state()).toBe('signed_out'))
  })

  it('do not ask again as another user what was refused to the one before', async () => {
    const session = await openAs('ann')
    const called = session.call({ path: '/thing' })
    ;(await next('thing'))(OUT)
    ;(await next('refresh'))(signedIn('bob'))
    await expect(called).rejects.toMatchObject({ status: 401 })
    expect(session.user()).toBe('bob')
  })
})
