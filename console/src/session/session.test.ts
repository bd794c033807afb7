import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSession, type Session } from './session.ts'

type Answer = { status: number; content?: object }
type PendingRequest = { action: string; answer: (answer: Answer) => void }

const LIFETIME_SECONDS = 900
const OUT: Answer = { status: 401 }
/** A token of a service whose clock is half an hour behind the browser's. */
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

/** Requests without a response yet, in order. */
let waiting: PendingRequest[] = []
let tokensSent: string[] = []
const Channel = BroadcastChannel
const channels: BroadcastChannel[] = []
let onRequest: () => void = () => undefined

beforeEach(() => {
  waiting = []
  tokensSent = []
  // Each test gets a browser of its own.
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
      onRequest()
    })
    return Response.json({ success: status < 400, message: 'message', content }, { status })
  })
})
afterEach(() => {
  for (const channel of channels.splice(0)) channel.close()
  vi.unstubAllGlobals()
})

/** Waits for the next request to the service. */
async function next(action: string): Promise<(answer: Answer) => void> {
  while (waiting.length === 0) {
    await new Promise<void>((resolve) => {
      onRequest = resolve
    })
  }
  const request = waiting.shift()
  expect(request?.action).toBe(action)
  return request?.answer ?? expect.fail('there was no request')
}

/** A browser without locks, which exist only in secure contexts. */
const open = () => createSession({ navigator: {} as Navigator })

async function openAs(user: string): Promise<Session> {
  const session = open()
  const done = session.resume()
  ;(await next('refresh'))(signedIn(user))
  await done
  return session
}

describe('the session of a tab', () => {
  it('stays signed out when a refresh that was in progress completes after the sign-out', async () => {
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

  it('continues and reports the error when sign-out fails', async () => {
    const session = await openAs('ann')
    const out = session.signOut()
    ;(await next('logout'))({ status: 500 })
    await expect(out).rejects.toMatchObject({ status: 500 })
    expect(session.state()).toBe('signed_in')
  })

  it('uses an access token for its whole lifetime, even when the browser clock is wrong', async () => {
    const session = await openAs('ann')
    const called = session.call({ path: '/thing' })
    ;(await next('thing'))({ status: 200, content: {} })
    await called
    expect(tokensSent).toHaveLength(1)
  })
})

describe('sessions of two tabs', () => {
  it('belong to one user: signing in elsewhere changes the user here too', async () => {
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

  it('do not repeat a refused request as another user', async () => {
    const session = await openAs('ann')
    const called = session.call({ path: '/thing' })
    ;(await next('thing'))(OUT)
    ;(await next('refresh'))(signedIn('bob'))
    await expect(called).rejects.toMatchObject({ status: 401 })
    expect(session.user()).toBe('bob')
  })
})
