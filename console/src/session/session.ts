/**
 * Who is signed in. The access token is kept in memory only; the refresh token is in a cookie that no
 * script can read, and is exchanged for the next pair shortly before the access token ends. Tabs take
 * turns with it, because it works once.
 */
import { ApiError, type Call, fetchContent, send } from '../api/client.ts'

/** `away` when the service did not answer, so that nobody knows. */
export type SessionState = 'unknown' | 'signed_in' | 'signed_out' | 'away'

export type Session = {
  state(): SessionState
  /** @returns how to stop being told */
  subscribe(onChange: () => void): () => void
  /** Continues a session of an earlier visit, if there is one. */
  resume(): Promise<void>
  signIn(email: string, password: string): Promise<void>
  signOut(): Promise<void>
  /** @returns `content` of the envelope @throws ApiError */
  call<T>(call: Call): Promise<T>
  /** The answer as it comes, for downloads and streams. @throws ApiError */
  open(call: Call): Promise<Response>
}

type Tokens = { access_token: string; expires_at: string }

const AUTH = '/console/api/auth'
const LOCK = 'vigil:refresh'
/** Told to other tabs of this browser. */
const CHANNEL = 'vigil:session'
/** So long before its end the access token is replaced. */
const EARLY_MS = 30_000
/** What a form on another site cannot send. */
const OURS = { 'x-vigil-console': '1' }

export function createSession(browser: Pick<Window, 'navigator'>): Session {
  const listeners = new Set<() => void>()
  const channel = new BroadcastChannel(CHANNEL)
  let state: SessionState = 'unknown'
  let tokens: Tokens | undefined
  let refreshing: Promise<Tokens | undefined> | undefined

  const become = (next: SessionState, given: Tokens | undefined) => {
    tokens = given
    if (state === next) return
    state = next
    for (const listener of listeners) listener()
  }
  channel.addEventListener('message', ({ data }) => {
    if (data === 'signed_out') become('signed_out', undefined)
    if (data === 'signed_in' && state === 'signed_out') void resume()
  })

  const auth = async <T>(action: string, body: object): Promise<T> =>
    await fetchContent<T>(
      { method: 'POST', path: `${AUTH}/${action}`, body, headers: OURS },
      undefined,
    )

  const refresh = async (): Promise<Tokens | undefined> => {
    refreshing ??= takeTurns(browser, async () => await auth<Tokens>('refresh', {}))
      .then(
        (given) => {
          become('signed_in', given)
          return given
        },
        (error: unknown) => {
          // A service that is away says nothing about the session.
          if (!(error instanceof ApiError) || error.status !== 401) throw error
          become('signed_out', undefined)
          return undefined
        },
      )
      .finally(() => {
        refreshing = undefined
      })
    return await refreshing
  }

  const resume = async () => {
    await refresh().catch(() => become('away', undefined))
  }

  const usableTokens = async (): Promise<Tokens | undefined> =>
    tokens && Date.parse(tokens.expires_at) - Date.now() > EARLY_MS ? tokens : await refresh()

  const authorized = async <T>(run: (accessToken: string) => Promise<T>): Promise<T> => {
    const given = await usableTokens()
    if (!given) throw new ApiError('You are signed out', { status: 401 })
    try {
      return await run(given.access_token)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      const next = await refresh()
      if (!next) throw error
      return await run(next.access_token)
    }
  }

  return {
    state: () => state,
    subscribe: (onChange) => {
      listeners.add(onChange)
      return () => void listeners.delete(onChange)
    },
    resume,
    signIn: async (email, password) => {
      become('signed_in', await auth<Tokens>('login', { email, password, cookie: true }))
      channel.postMessage('signed_in')
    },
    signOut: async () => {
      await auth('logout', {}).finally(() => {
        become('signed_out', undefined)
        channel.postMessage('signed_out')
      })
    },
    call: (call) => authorized((token) => fetchContent(call, token)),
    open: (call) => authorized((token) => send(call, token)),
  }
}

/** One tab at a time, where the browser knows locks. */
async function takeTurns<T>(
  { navigator }: Pick<Window, 'navigator'>,
  run: () => Promise<T>,
): Promise<T> {
  if (!('locks' in navigator)) return await run()
  return (await navigator.locks.request(LOCK, run)) as T
}
