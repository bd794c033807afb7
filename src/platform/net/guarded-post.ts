/**
 * POSTs to a URL that a customer chose, without ever reaching into the internal network: all
 * addresses of the host are resolved and checked, and only a checked address is connected to. An
 * egress proxy would defeat the check, so none is used, even if the environment configures one.
 */
import { addressBytes, addressRange, isInRange } from './address-bytes.ts'
import type { AllowList } from './allow-list.ts'
import { forbiddenRange } from './forbidden-address.ts'
import { createGuardedClients, type Lease } from './guarded-clients.ts'
import { type Exchange, type ExchangeRequest, exchange } from './guarded-exchange.ts'
import { type FailureReason, failureOfPost, isConnectFault, type Outcome } from './post-outcome.ts'
import { createCallers, createStop, type Stop } from './stop.ts'
import { createTargetAddresses } from './target-addresses.ts'
import {
  isInternalName,
  isUsualPort,
  type RefusalReason,
  readTarget,
  type Target,
  type TargetReading,
} from './target-url.ts'

export type GuardedPostOptions = {
  /** Targets in the internal network that the operator allows; see `readAllowList`. */
  readonly allow: AllowList
  /** Additional CIDR ranges to refuse, for instance the operator's own public addresses. */
  readonly deny?: readonly string[] | undefined
  readonly dns_servers?: readonly string[] | undefined
  readonly resolve_timeout_ms: number
  /** For TCP and TLS to one address. */
  readonly connect_timeout_ms: number
  /** Certificate authorities in PEM that replace those of the system, for tests. */
  readonly ca?: string | undefined
}

export type GuardedRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** For DNS, connection, headers and body together. */
  readonly deadline_ms: number
  /** Maximum number of bytes of the response body to read. */
  readonly response_bytes_max: number
  /** Stops the request earlier. */
  readonly signal?: AbortSignal | undefined
  /** Only requests with the same partition share connections, for instance an endpoint's id. */
  readonly partition?: string | undefined
}

/** `unresolved`: the URL is valid, but its host could not be resolved. */
export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  | { readonly kind: 'unresolved'; readonly reason: 'name_not_found' | 'dns_failed' }

export type GuardedPost = {
  /** Checks a URL when it is configured. Every attempt checks it again. */
  readonly check: (url: string) => Promise<Verdict>
  /** Makes one attempt. Never rejects and follows no redirect. */
  readonly post: (request: GuardedRequest) => Promise<Outcome>
  readonly close: () => Promise<void>
}

type CheckedTarget =
  | { readonly kind: 'addresses'; readonly target: Target; readonly addresses: readonly string[] }
  | Exclude<Verdict, { kind: 'allowed' }>

type Result =
  | Extract<Exchange, { kind: 'answered' }>
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  | { readonly kind: 'failed'; readonly reason: FailureReason }

const ADDRESSES_TRIED_MAX = 4
/** A URL has at most 2048 characters. */
const READINGS_MAX = 1000
const RETRY_AFTER_CHARS_MAX = 64

/** Throws when a DNS server address or a range is malformed. */
export function createGuardedPost(options: GuardedPostOptions): GuardedPost {
  const checkTarget = createTargetCheck(options)
  const clients = createGuardedClients(options)
  const stopWithCaller = createCallers()

  const attempt = async (request: GuardedRequest, stop: Stop): Promise<Result> => {
    const checked = await untilStopped(checkTarget(request.url), stop)
    if (checked === undefined) return { kind: 'failed', reason: 'timeout' }
    if (checked.kind === 'refused') return checked
    if (checked.kind === 'unresolved') return { kind: 'failed', reason: checked.reason }
    let result: Result = { kind: 'failed', reason: 'unreachable' }
    const { target } = checked
    for (const address of checked.addresses.slice(0, ADDRESSES_TRIED_MAX)) {
      const destination = { target, address, partition: request.partition ?? '' }
      const lease = (is_fresh: boolean) => clients.lease({ ...destination, is_fresh })
      result = await send(lease, { ...request, path: target.path, stop })
      if (result.kind !== 'failed' || !isConnectFault(result.reason)) return result
    }
    return result
  }

  const post = async (request: GuardedRequest): Promise<Outcome> => {
    const startedAt = performance.now()
    const caller = request.signal
    const stopper = createStop()
    const timer = setTimeout(stopper.stop, request.deadline_ms)
    const leaveCaller = caller && stopWithCaller(caller, stopper)
    try {
      const result = await attempt(request, stopper)
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
      leaveCaller?.()
    }
  }

  return {
    async check(url) {
      const checked = await checkTarget(url)
      return checked.kind === 'addresses' ? { kind: 'allowed' } : checked
    },
    post,
    close: clients.close,
  }
}

function createTargetCheck(options: GuardedPostOptions): (url: string) => Promise<CheckedTarget> {
  const { allow } = options
  const denied = (options.deny ?? []).map((text) => {
    const range = addressRange(text)
    if (range === undefined) throw new Error(`"${text}" is not an IP address or CIDR range`)
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

  const read = cachedReader()

  return async (url) => {
    const reading = read(url)
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
    // One forbidden address condemns the name, because any of the addresses may be connected to.
    const isBad = !isAllowedName && addresses.some((address) => isForbidden(address, port))
    return isBad ? NOT_PUBLIC : { kind: 'addresses', target, addresses }
  }
}

/** Deliveries to an endpoint repeat its URL. */
function cachedReader(): (url: string) => TargetReading {
  const readings = new Map<string, TargetReading>()
  return (url) => {
    const known = readings.get(url)
    if (known) return known
    const reading = readTarget(url)
    if (readings.size >= READINGS_MAX) readings.clear()
    readings.set(url, reading)
    return reading
  }
}

const NOT_PUBLIC = { kind: 'refused', reason: 'not_public' } as const

const addressItself = (host: string) => ({ kind: 'addresses', addresses: [host] }) as const

/**
 * The other side may close an idle connection at the moment it is reused. That is not a failure of
 * the receiver, so the request is sent again on a new connection.
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
  // Codes such as ETIMEDOUT can also occur while reading, after the connection was established.
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

/** Drops a character that the limit cut in two, and NUL, which PostgreSQL cannot store. */
const textOf = (bytes: Buffer): string =>
  bytes.length === 0
    ? ''
    : new TextDecoder().decode(bytes, { stream: true }).replaceAll('\u0000', '\ufffd')

/** Resolves to undefined when the request is stopped first. */
function untilStopped<T>(work: Promise<T>, stop: Stop): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (stop.isStopped) resolve(undefined)
    stop.onStop(() => resolve(undefined))
    work.then(resolve, reject)
  })
}
