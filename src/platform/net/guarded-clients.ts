/**
 * Connections to checked addresses, which stay open for a short while for the next request. Each is
 * an undici Client rather than a Pool: after an abort, a Pool opens another connection that nothing
 * uses, which would double the connections to a hanging receiver.
 */
import { createSecureContext } from 'node:tls'
import { Client } from 'undici'
import { guardedConnect } from './guarded-connect.ts'
import type { Target } from './target-url.ts'

export type GuardedClients = {
  /**
   * A client for one request to an address that was just checked. Connections are reused only within
   * a `partition`: a receiver can leave a response on an idle connection for the next request, which
   * must not belong to another customer.
   */
  readonly lease: (to: Destination) => Lease
  readonly close: () => Promise<void>
}

export type Destination = {
  readonly target: Target
  readonly address: string
  readonly partition: string
  /** Opens a new connection, even if one is idle. */
  readonly is_fresh: boolean
}

export type Lease = {
  readonly client: Client
  /** The connection carried a request before, so the other side may be closing it. */
  readonly is_reused: boolean
  /** Ends the connection unless it is reusable, because its response was read to the end. */
  readonly release: (isReusable: boolean) => void
}

export type GuardedClientsOptions = {
  /** Certificate authorities in PEM that replace those of the system, for tests. */
  readonly ca?: string | undefined
  readonly connect_timeout_ms: number
  /** Maximum number of idle connections over all targets; by default 1000. */
  readonly idle_max?: number | undefined
}

const IDLE_MAX = 1000
/** A session takes one to three kilobytes. */
const SESSIONS_MAX = 2000
/** After this, the certificate is verified again, which may have expired or been replaced. */
const VERIFIED_FOR_MS = 3_600_000
/** Below the 5 s after which a Node.js server closes an idle connection. */
const KEEP_ALIVE_MS = 4000
const KEEP_ALIVE_MS_MAX = 20_000
const RESPONSE_HEADER_BYTES_MAX = 16_384

export function createGuardedClients(options: GuardedClientsOptions): GuardedClients {
  const { ca, connect_timeout_ms } = options
  const secure_context = createSecureContext({ minVersion: 'TLSv1.2', ...(ca && { ca }) })
  const idle = createIdle(options.idle_max ?? IDLE_MAX)
  const sessions = createSessions()
  const leased = new Set<Client>()

  const open = (key: string, { host, isAddress, port, origin }: Target, address: string) => {
    const name = isAddress ? undefined : host
    const client = new Client(origin, {
      connect: guardedConnect({
        address,
        port,
        name,
        secure_context,
        timeout_ms: connect_timeout_ms,
        session: sessions.get(key),
        onSession: (session, isResumed) => sessions.set(key, session, isResumed),
      }),
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX,
      maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
      pipelining: 1,
      // These timeouts limit pauses; the caller has one deadline for the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    client.on('disconnect', () => {
      if (idle.remove(client)) end(client)
    })
    return client
  }

  const release = (client: Client, key: string, isReusable: boolean) => {
    if (!leased.delete(client)) return
    if (!isReusable || !client.stats.connected) {
      end(client)
      return
    }
    const surplus = idle.add(key, client)
    if (surplus !== undefined) end(surplus)
  }

  return {
    lease({ target, address, partition, is_fresh }) {
      const key = `${partition} ${target.origin} ${address}`
      const reused = is_fresh ? undefined : idle.take(key)
      const client = reused ?? open(key, target, address)
      leased.add(client)
      return {
        client,
        is_reused: reused !== undefined,
        release: (isReusable) => release(client, key, isReusable),
      }
    },
    async close() {
      const clients = [...idle.takeAll(), ...leased]
      leased.clear()
      await Promise.all(clients.map((client) => client.destroy()))
    },
  }
}

const end = (client: Client): void => void client.destroy().catch(() => undefined)

/**
 * The last TLS session of each key. Resuming it skips the certificate and the signature of the server, which
 * take most of a handshake. Node.js verified the name when the session began, and the key contains the name.
 */
function createSessions() {
  const sessions = new Map<string, { session: Buffer; verified_ms: number }>()
  const find = (key: string) => {
    const found = sessions.get(key)
    return found && performance.now() - found.verified_ms < VERIFIED_FOR_MS ? found : undefined
  }
  return {
    get: (key: string) => find(key)?.session,
    set(key: string, session: Buffer, isResumed: boolean): void {
      const now = performance.now()
      const verified_ms = isResumed ? (find(key)?.verified_ms ?? -VERIFIED_FOR_MS) : now
      sessions.delete(key)
      const [oldest] = sessions.keys()
      if (sessions.size >= SESSIONS_MAX && oldest !== undefined) sessions.delete(oldest)
      sessions.set(key, { session, verified_ms })
    },
  }
}

/** Idle clients, indexed by client and by key so that every operation takes constant time. */
function createIdle(max: number) {
  const keys = new Map<Client, string>()
  const lists = new Map<string, Set<Client>>()

  const remove = (client: Client): boolean => {
    const key = keys.get(client)
    if (key === undefined) return false
    keys.delete(client)
    const list = lists.get(key)
    list?.delete(client)
    if (list?.size === 0) lists.delete(key)
    return true
  }

  return {
    remove,
    /** Returns the client that was idle for longest when there are too many. */
    add(key: string, client: Client): Client | undefined {
      keys.set(client, key)
      lists.set(key, (lists.get(key) ?? new Set()).add(client))
      const [oldest] = keys.keys()
      if (keys.size <= max || oldest === undefined) return undefined
      remove(oldest)
      return oldest
    },
    take(key: string): Client | undefined {
      const [client] = lists.get(key) ?? []
      if (client !== undefined) remove(client)
      return client
    },
    takeAll(): Client[] {
      const all = [...keys.keys()]
      keys.clear()
      lists.clear()
      return all
    },
  }
}
