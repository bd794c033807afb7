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
  /** Id of the signed-in user, who may be another than a moment ago; undefined unless signed in. */
  user(): string | undefined
  /** Told of another state, and of another user. @returns how to stop being told */
  subscribe(onChange: () => void): () => void
  /** Continues a session of an earlier visit, if there is one. */
  resume(): Promise<void>
  signIn(email: string, password: string): Promise<void>
  /** @throws ApiError when the session could not be ended, and so goes on */
  signOut(): Promise<void>
  /** @returns `content` of the envelope @throws ApiError */
  call<T>(call: Call): Promise<T>
  /** The answer as it comes, for downloads and streams. @throws ApiError */
  open(call: Call): Promise<Response>
}

type Tokens = { access_token: string; expires_at: string }
/** @property replace_at by the clock of the browser, in milliseconds */
type Kept = { access_token: string; replace_at: number; user_id: string }

const AUTH = '/console/api/auth'
const LOCK = 'vigil:refresh'
/** Told to other tabs of this browser. */
const CHANNEL = 'vigil:session'
/** So long before its end the access token is replaced. */
const EARLY_MS = 30_000
/** Other tabs wait meanwhile. */
const ANSWER_MAX_MS = 30_000
/** What a form on another site cannot send. */
const OURS = { 'x-vigil-console': '1' }

export function createSession(browser: Pick<Window, 'navigator'>): Session {
  const listeners = new Set<() => void>()
  const channel = new BroadcastChannel(CHANNEL)
  let state: SessionState = 'unknown'
  let kept: Kept | undefined
  let user: string | undefined
  let refreshing: Promise<Kept | undefined> | undefined
  /** Rises when somebody signs in or out: what was asked before is about another session. */
  let turn = 0

  const become = (next: SessionState, given: Kept | undefined) => {
    kept = given
    const nextUser = next === 'signed_in' ? given?.user_id : undefined
    if (state === next && user === nextUser) return
    state = next
    user = nextUser
    for (const listener of listeners) listener()
  }
  const change = (next: SessionState, given: Kept | undefined) => {
    turn += 1
    refreshing = undefined
    become(next, given)
  }
  channel.addEventListener('message', ({ data }) => {
    if (data === 'signed_out') change('signed_out', undefined)
    if (data !== 'signed_in' || state === 'unknown') return
    // The cookie may be that of another user now; what is shown must not stay that of the one before.
    turn += 1
    refreshing = undefined
    kept = undefined
    void resume()
  })

  const refresh = async (): Promise<Kept | undefined> => {
    if (refreshing) return await refreshing
    const asked = turn
    const isStale = () => asked !== turn
    const mine = takeTurns(browser, async () => await ask<Tokens>('refresh', {}))
      .then(
        (given) => {
          if (isStale()) return kept
          become('signed_in', keep(given))
          return kept
        },
        (error: unknown) => {
          // A service that is away says nothing about the session.
          if (!(error instanceof ApiError) || error.status !== 401) throw error
          if (isStale()) return kept
          become('signed_out', undefined)
          return undefined
        },
      )
      .finally(() => {
        if (refreshing === mine) refreshing = undefined
      })
    refreshing = mine
    return await mine
  }

  const resume = async () => {
    const asked = turn
    await refresh().catch(() => {
      if (asked === turn) become('away', undefined)
    })
  }

  const usable = async (): Promise<Kept | undefined> => {
    if (state === 'signed_out') return undefined
    return kept && Date.now() < kept.replace_at ? kept : await refresh()
  }

  const authorized = async <T>(run: (accessToken: string) => Promise<T>): Promise<T> => {
    const given = await usable()
    if (!given) throw new ApiError('You are signed out', { status: 401 })
    try {
      return await run(given.access_token)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      // Somebody else's answer is none to this question.
      const next = await refresh()
      if (!next || next.user_id !== given.user_id) throw error
      return await run(next.access_token)
    }
  }

  return {
    state: () => state,
    user: () => user,
    subscribe: (onChange) => {
      listeners.add(onChange)
      return () => void listeners.delete(onChange)
    },
    resume,
    signIn: async (email, password) => {
      const body = { email, password, cookie: true }
      const given = await takeTurns(browser, async () => await ask<Tokens>('login', body))
      change('signed_in', keep(given))
      channel.postMessage('signed_in')
    },
    signOut: async () => {
      await takeTurns(browser, async () => await ask('logout', {}))
      change('signed_out', undefined)
      channel.postMessage('signed_out')
    },
    call: (call) => authorized((token) => fetchContent(call, token)),
    open: (call) => authorized((token) => send(call, token)),
  }
}

async function ask<T>(action: 'login' | 'refresh' | 'logout', body: object): Promise<T> {
  const signal = AbortSignal.timeout(ANSWER_MAX_MS)
  const call = { method: 'POST', path: `${AUTH}/${action}`, body, headers: OURS, signal } as const
  return await fetchContent<T>(call, undefined).catch((error: unknown) => {
    throw signal.aborted ? new ApiError('The service does not answer.', { status: 0 }) : error
  })
}

/** By how long it lasts, because the clocks of browsers are often minutes off. */
function keep({ access_token, expires_at }: Tokens): Kept {
  const { sub, iat, exp } = claimsOf(access_token)
  const lasts_ms =
    iat !== undefined && exp !== undefined
      ? (exp - iat) * 1000
      : Date.parse(expires_at) - Date.now()
  return { access_token, replace_at: Date.now() + lasts_ms - EARLY_MS, user_id: sub ?? '' }
}

/** As the service wrote them into the token (RFC 7519); it alone checks that they are its own. */
function claimsOf(token: string): { sub?: string; iat?: number; exp?: number } {
  try {
    const [, payload = ''] = token.split('.')
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as object
  } catch {
    return {}
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
