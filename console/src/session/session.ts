/**
 * The sign-in session. The access token is kept in memory only. The refresh token is in a cookie that
 * scripts cannot read; it is exchanged for a new pair shortly before the access token expires. A refresh
 * token works once, so tabs take turns.
 */
import { ApiError, type Call, fetchContent, send } from '../api/client.ts'
import { signWithPasskey } from './passkey.ts'

/** `unreachable`: the service did not respond, so the state is not known. */
export type SessionState = 'unknown' | 'signed_in' | 'signed_out' | 'unreachable'

export type SignInHints = {
  /** An organization of the account, in case several accounts have the e-mail. */
  org_id?: string | undefined
  /** A code of the second factor. */
  code?: string | undefined
}

export type Session = {
  state(): SessionState
  /** Id of the signed-in user, which can change at any time; undefined unless signed in. */
  user(): string | undefined
  /** Called when the state or the user changes. @returns unsubscribes */
  subscribe(onChange: () => void): () => void
  /** Continues the session of an earlier visit, if there is one. */
  resume(): Promise<void>
  /** @throws ApiError about the field `code` when the account has a second factor and `code` is wrong */
  signIn(email: string, password: string, hints?: SignInHints): Promise<void>
  /** Signs in without e-mail and password. @throws ApiError */
  signInWithPasskey(): Promise<void>
  /** Signs in by a provider, or what else its return is for. @throws ApiError */
  complete(returned: object): Promise<Completed>
  /**
   * @returns the address at which the provider of the session ends its own
   * @throws ApiError when the session could not be ended and so continues
   */
  signOut(): Promise<string | undefined>
  /**
   * Requests that need a recent proof of the second factor are repeated after the user has proved it.
   * @param ask resolves with false when the user declines
   */
  onProofNeeded(ask: () => Promise<boolean>): void
  /** @returns `content` of the envelope @throws ApiError */
  call<T>(call: Call): Promise<T>
  /** The raw response, for downloads and streams. @throws ApiError */
  open(call: Call): Promise<Response>
}

/** The outcome of a return from a provider. */
export type Completed = { next: string } & (
  | { kind: 'signed_in' }
  | { kind: 'proved' }
  | { kind: 'tested'; email: string; role: string | null; has_second_factor: boolean }
)

type Tokens = { access_token: string; expires_at: string }
/** @property replace_at by the browser's clock, in milliseconds */
type CurrentToken = { access_token: string; replace_at: number; user_id: string }

const AUTH = '/console/api/auth'
const LOCK = 'vigil:refresh'
/** Messages to other tabs of this browser. */
const CHANNEL = 'vigil:session'
/** The access token is replaced this long before it expires. */
const EARLY_MS = 30_000
/** Timeout of a request. Other tabs wait for it. */
const RESPONSE_MAX_MS = 30_000
/** A header that a form on another site cannot send. */
export const CONSOLE_HEADER = { 'x-vigil-console': '1' }

export function createSession(browser: Browser): Session {
  const listeners = new Set<() => void>()
  const channel = new BroadcastChannel(CHANNEL)
  let state: SessionState = 'unknown'
  let token: CurrentToken | undefined
  let user: string | undefined
  let refreshing: Promise<CurrentToken | undefined> | undefined
  /** Increases with each sign-in or sign-out; a request of an earlier generation is about another session. */
  let generation = 0
  let askForProof: () => Promise<boolean> = () => Promise.resolve(false)

  const become = (next: SessionState, nextToken: CurrentToken | undefined) => {
    token = nextToken
    const nextUser = next === 'signed_in' ? nextToken?.user_id : undefined
    if (state === next && user === nextUser) return
    state = next
    user = nextUser
    for (const listener of listeners) listener()
  }
  const change = (next: SessionState, nextToken: CurrentToken | undefined) => {
    generation += 1
    refreshing = undefined
    become(next, nextToken)
  }
  channel.addEventListener('message', ({ data }) => {
    if (data === 'signed_out') change('signed_out', undefined)
    if (data !== 'signed_in' || state === 'unknown') return
    // The cookie may now belong to another user, whose data must replace what is shown.
    generation += 1
    refreshing = undefined
    token = undefined
    void resume()
  })

  const refresh = async (): Promise<CurrentToken | undefined> => {
    if (refreshing) return await refreshing
    const started = generation
    const isStale = () => started !== generation
    const mine = takeTurns(browser, async () => await authenticate<Tokens>('refresh', {}))
      .then(
        (tokens) => {
          if (isStale()) return token
          become('signed_in', currentToken(tokens))
          return token
        },
        (error: unknown) => {
          // An unreachable service says nothing about the session.
          if (!(error instanceof ApiError) || error.status !== 401) throw error
          if (isStale()) return token
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
    const started = generation
    await refresh().catch(() => {
      if (started === generation) become('unreachable', undefined)
    })
  }

  const usable = async (): Promise<CurrentToken | undefined> => {
    if (state === 'signed_out') return undefined
    return token && Date.now() < token.replace_at ? token : await refresh()
  }

  const authorized = async <T>(run: (accessToken: string) => Promise<T>): Promise<T> => {
    const current = await usable()
    if (!current) throw new ApiError('You are signed out', { status: 401 })
    try {
      return await run(current.access_token)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      // The response for another user would be wrong here.
      const next = await refresh()
      if (!next || next.user_id !== current.user_id) throw error
      return await run(next.access_token)
    }
  }

  const proved = async <T>(run: (accessToken: string) => Promise<T>): Promise<T> => {
    try {
      return await authorized(run)
    } catch (error) {
      const isAsked = error instanceof ApiError && error.status === 403 && error.field === 'code'
      if (!isAsked || !(await askForProof())) throw error
      return await authorized(run)
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
    signIn: async (email, password, hints = {}) => {
      const body = { email, password, cookie: true, ...hints }
      const tokens = await takeTurns(browser, async () => await authenticate<Tokens>('login', body))
      change('signed_in', currentToken(tokens))
      channel.postMessage('signed_in')
    },
    signInWithPasskey: async () => {
      const response = await signWithPasskey(await authenticate<object>('passkey/challenge', {}))
      const body = { response, cookie: true }
      const tokens = await takeTurns(browser, () => authenticate<Tokens>('passkey', body))
      change('signed_in', currentToken(tokens))
      channel.postMessage('signed_in')
    },
    complete: async (returned) => {
      const done = await takeTurns(browser, () =>
        authenticate<Completed & Partial<Tokens>>('provider/complete', returned),
      )
      const { access_token, expires_at, ...completed } = done
      if (access_token !== undefined && expires_at !== undefined) {
        change('signed_in', currentToken({ access_token, expires_at }))
        channel.postMessage('signed_in')
      }
      return completed
    },
    signOut: async () => {
      type SignedOut = { sign_out_url?: string | null }
      const { sign_out_url } = await takeTurns(browser, () => authenticate<SignedOut>('logout', {}))
      change('signed_out', undefined)
      channel.postMessage('signed_out')
      return sign_out_url ?? undefined
    },
    onProofNeeded: (ask) => {
      askForProof = ask
    },
    call: (call) => proved((accessToken) => fetchContent(call, accessToken)),
    open: (call) => proved((accessToken) => send(call, accessToken)),
  }
}

type Action = 'login' | 'passkey' | 'passkey/challenge' | 'provider/complete' | 'refresh' | 'logout'

async function authenticate<T>(action: Action, body: object): Promise<T> {
  const signal = AbortSignal.timeout(RESPONSE_MAX_MS)
  const call: Call = { method: 'POST', path: `${AUTH}/${action}`, body, headers: CONSOLE_HEADER }
  return await fetchContent<T>({ ...call, signal }, undefined).catch((error: unknown) => {
    throw signal.aborted ? new ApiError('The service is not responding.', { status: 0 }) : error
  })
}

/** Uses the token's lifetime, because browser clocks are often minutes off. */
function currentToken({ access_token, expires_at }: Tokens): CurrentToken {
  const { sub, iat, exp } = claimsOf(access_token)
  const isKnown = iat !== undefined && exp !== undefined
  const lasts_ms = isKnown ? (exp - iat) * 1000 : Date.parse(expires_at) - Date.now()
  return { access_token, replace_at: Date.now() + lasts_ms - EARLY_MS, user_id: sub ?? '' }
}

/** Claims of the token (RFC 7519), unverified: only the service checks the signature. */
function claimsOf(token: string): { sub?: string; iat?: number; exp?: number } {
  try {
    const [, payload = ''] = token.split('.')
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as object
  } catch {
    return {}
  }
}

type Browser = Pick<Window, 'navigator'>

/** Runs in one tab at a time, where the browser supports locks. */
async function takeTurns<T>({ navigator }: Browser, run: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return await run()
  return (await navigator.locks.request(LOCK, run)) as T
}
