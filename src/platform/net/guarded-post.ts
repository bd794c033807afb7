/**
 * POST to a URL that a stranger chose, without ever reaching into the own network: the URL is read,
 * all its addresses are resolved and judged, and only an address that was judged is connected to.
 * An egress proxy would undo that, so none is used, whatever the environment says.
 */
import { addressBytes, addressRange, isInRange } from './address-bytes.ts'
import type { AllowList } from './allow-list.ts'
import { forbiddenRange } from './forbidden-address.ts'
import { createGuardedClients, type Lease } from './guarded-clients.ts'
import { type Exchange, type ExchangeRequest, exchange } from './guarded-exchange.ts'
import { type FailureReason, failureOfPost, isConnectFault, type Outcome } from './post-outcome.ts'
import { createTargetAddresses } from './target-addresses.ts'
import {
  isInternalName,
  isUsualPort,
  type RefusalReason,
  readTarget,
  type Target,
} from './target-url.ts'

export type GuardedPostOptions = {
  /** Targets in the own network that the operator allows; see `readAllowList`. */
  readonly allow: AllowList
  /** CIDR ranges that are refused in addition, for instance the operator's own public addresses. */
  readonly deny?: readonly string[] | undefined
  /** As in `DnsOptions`. */
  readonly dns_servers?: readonly string[] | undefined
  readonly resolve_timeout_ms: number
  /** TCP and TLS to one address. */
  readonly connect_timeout_ms: number
  /** Certificate authorities in PEM instead of those of the system; for tests. */
  readonly ca?: string | undefined
}

export type GuardedRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Everything together: DNS, connection, headers and body. */
  readonly deadline_ms: number
  /** No more of the answer is read. */
  readonly response_bytes_max: number
  /** Stops the request earlier. */
  readonly signal?: AbortSignal | undefined
  /** Requests with equal ones share connections, for instance the id of an endpoint. */
  readonly partition?: string | undefined
}

/** `unresolved`: the URL is in order, but where it leads could not be learnt just now. */
export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  | { readonly kind: 'unresolved'; readonly reason: 'name_not_found' | 'dns_failed' }

export type GuardedPost = {
  /** For when a URL is set. It says nothing about later: every attempt judges again. */
  readonly check: (url: string) => Promise<Verdict>
  /** One attempt. Never rejects, follows no redirect. */
  readonly post: (request: GuardedRequest) => Promise<Outcome>
  /** Ends all connections. */
  readonly close: () => Promise<void>
}

type Judgement =
  | { readonly kind: 'addresses'; readonly target: Target; readonly addresses: readonly string[] }
  | Exclude<Verdict, { kind: 'allowed' }>

type Result =
  | Extract<Exchange, { kind: 'answered' }>
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  | { readonly kind: 'failed'; readonly reason: FailureReason }

const ADDRESSES_TRIED_MAX = 4
const RETRY_AFTER_CHARS_MAX = 64

/** Throws at once when a server address or a range is malformed. */
export function createGuardedPost(options: GuardedPostOptions): GuardedPost {
  const judge = createJudge(options)
  const clients = createGuardedClients(options)

  const attempt = async (request: GuardedRequest, signal: AbortSignal): Promise<Result> => {
    const judged = await untilAborted(judge(request.url), signal)
    if (judged === undefined) return { kind: 'failed', reason: 'timeout' }
    if (judged.kind === 'refused') return judged
    if (judged.kind === 'unresolved') return { kind: 'failed', reason: judged.reason }
    let result: Result = { kind: 'failed', reason: 'unreachable' }
    const { target } = judged
    for (const address of judged.addresses.slice(0, ADDRESSES_TRIED_MAX)) {
      const destination = { target, address, partition: request.partition ?? '' }
      const lease = (is_fresh: boolean) => clients.lease({ ...destination, is_fresh })
      result = await send(lease, { ...request, path: target.path, signal })
      if (result.kind !== 'failed' || !isConnectFault(result.reason)) return result
    }
    return result
  }

  const post = async (request: GuardedRequest): Promise<Outcome> => {
    const startedAt = performance.now()
    const caller = request.signal
    const controller = new AbortController()
    const stop = () => controller.abort()
    const timer = setTimeout(stop, request.deadline_ms)
    caller?.addEventListener('abort', stop, { once: true })
    if (caller?.aborted === true) stop()
    try {
      const result = await attempt(request, controller.signal)
      const latency_ms = Math.round(performance.now() - startedAt)
      if (result.kind === 'answered') return { ...readAnswer(result), latency_ms }
      if (result.kind === 'refused') return { ...result, latency_ms }
      const isStopped = result.reason === 'timeout' && caller?.aborted === true
      return { ...result, reason: isStopped ? 'stopped' : result.reason, latency_ms }
    } catch {
      const latency_ms = Math.round(performance.now() - startedAt)
      return { kind: 'failed', reason: 'unsendable', latency_ms }
    } finally {
      clearTimeout(timer)
      caller?.removeEventListener('abort', stop)
    }
  }

  return {
    async check(url) {
      const judged = await judge(url)
      return judged.kind === 'addresses' ? { kind: 'allowed' } : judged
    },
    post,
    close: clients.close,
  }
}

function createJudge(options: GuardedPostOptions): (url: string) => Promise<Judgement> {
  const { allow } = options
  const denied = (options.deny ?? []).map((text) => {
    const range = addressRange(text)
    if (range === undefined) throw new Error(`"${text}" is no IP address or CIDR range`)
    return range
  })
  const resolve = createTargetAddresses({
    servers: options.dns_servers,
    timeout_ms: options.resolve_timeout_ms,
  })
  const isForbidden = (address: string, port: number): boolean => {
    const bytes = addressBytes(address)
    if (bytes === undefined) return true
    if (allow.allowsAddress(bytes, port)) return false
    const isDenied = denied.some((range) => isInRange(bytes, range))
    return isDenied || !isUsualPort(port) || forbiddenRange(bytes) !== undefined
  }

  return async (url) => {
    const reading = readTarget(url)
    if (reading.kind === 'refused') return reading
    const { target } = reading
    const { host, port, isAddress } = target
    const isAllowedName = !isAddress && allow.allowsName(host, port)
    if (!isUsualPort(port) && !allow.concernsPort(port)) return { kind: 'refused', reason: 'port' }
    if (!isAddress && !isAllowedName && isInternalName(host)) return NOT_PUBLIC
    const found = isAddress ? addressItself(host) : await resolve(host)
    if (found.kind === 'none') return { kind: 'unresolved', reason: 'name_not_found' }
    if (found.kind === 'failed') return { kind: 'unresolved', reason: 'dns_failed' }
    const { addresses } = found
    // One forbidden address condemns the name: which of them is connected to is a matter of chance.
    const isBad = !isAllowedName && addresses.some((address) => isForbidden(address, port))
    return isBad ? NOT_PUBLIC : { kind: 'addresses', target, addresses }
  }
}

const NOT_PUBLIC = { kind: 'refused', reason: 'not_public' } as const

const addressItself = (host: string) => ({ kind: 'addresses', addresses: [host] }) as const

/**
 * A kept connection may have been closed by the other side at the moment it is used. That is no
 * failure of the receiver, so it is tried once more, on a new connection.
 */
async function send(
  lease: (is_fresh: boolean) => Lease,
  request: ExchangeRequest,
  is_fresh = false,
): Promise<Result> {
  const { client, is_reused, release } = lease(is_fresh)
  const exchanged = await exchange(client, request)
  release(exchanged.kind === 'answered' && exchanged.is_whole)
  const result = resultOf(exchanged)
  const isUnanswered = exchanged.kind === 'broken' && !exchanged.was_answered
  const isBroken = result.kind === 'failed' && result.reason === 'connection_broken'
  return is_reused && isUnanswered && isBroken ? await send(lease, request, true) : result
}

function resultOf(exchanged: Exchange): Result {
  if (exchanged.kind === 'answered') return exchanged
  if (exchanged.kind === 'aborted') return { kind: 'failed', reason: 'timeout' }
  const reason = failureOfPost(exchanged.error)
  // The same code while reading, say, ETIMEDOUT, is no fault of connecting.
  const isLate = exchanged.was_sent && isConnectFault(reason)
  return { kind: 'failed', reason: isLate ? 'connection_broken' : reason }
}

function readAnswer({ status, headers, body }: Extract<Exchange, { kind: 'answered' }>) {
  const header = (name: string): string | null => {
    const value = headers[name]
    return (Array.isArray(value) ? value[0] : value) ?? null
  }
  const isCompressed = (header('content-encoding') ?? 'identity') !== 'identity'
  return {
    kind: 'answered',
    status,
    body_start: isCompressed ? '' : textOf(body),
    retry_after: header('retry-after')?.slice(0, RETRY_AFTER_CHARS_MAX) ?? null,
  } as const
}

/** A character that the limit cut in two is left out. PostgreSQL stores no NUL. */
const textOf = (bytes: Buffer): string =>
  new TextDecoder().decode(bytes, { stream: true }).replaceAll('\u0000', '\ufffd')

/** Undefined when the signal was faster. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
