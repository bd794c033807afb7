/**
 * One HTTP/2 connection: tracks how many requests it can take, whether it is alive, and how it ends.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { Socket } from 'node:net'
import { failureOfPost } from '../post-outcome.ts'
import {
  type CancelExchange,
  type ExchangeDone,
  type ExchangeSession,
  type Goaway,
  runExchange,
} from './exchange.ts'
import type { Http2Request } from './outcome.ts'

export type SessionOptions = {
  /** `https://api.example`, without a trailing slash; `http:` disables TLS. */
  readonly origin: string
  /** The only trusted authority, in PEM; by default those of the system. */
  readonly ca?: string | undefined
  /** Per connection; the server's SETTINGS can lower it. */
  readonly streams_max: number
  /** Limit until the first response below 500. */
  readonly first_streams: number
  /** For the TLS handshake and the server's SETTINGS. */
  readonly connect_timeout_ms: number
  readonly ping_interval_ms: number
  /** A connection that does not answer a ping for this long is destroyed. */
  readonly ping_timeout_ms: number
  /** A connection without streams for this long is closed. */
  readonly idle_timeout_ms: number
}

export type Retirement = {
  /** `useless`: the connection was established, answered no request, and was not closed by us. */
  readonly kind: 'good' | 'useless' | 'never_connected'
  /** For the log. */
  readonly reason: string
}

type SessionEvents = {
  /** A stream may be free for a waiting request. */
  onCapacity: () => void
  /** Called once, when the connection takes no more requests. */
  onRetired: (retirement: Retirement) => void
  /** Called once, as the last event. */
  onEnd: () => void
}

type SessionPhase = 'connecting' | 'ready' | 'draining' | 'ended'

export type Http2Session = {
  isConnecting(): boolean
  /** The connection takes requests, but may have no free stream at the moment. */
  isUsable(): boolean
  /** The number of free streams at the moment. */
  freeStreams(): number
  streams(): number
  /** The connection has reached its final limit of streams. */
  isFull(): boolean
  /** Requires a free stream. Throws Node's error when the request cannot be built. */
  send(
    request: Pick<Http2Request, 'method' | 'path' | 'headers' | 'body'>,
    done: ExchangeDone,
  ): CancelExchange
  /** Takes no more requests and ends with its last stream. */
  retire(reason: string): void
  /** Ends the connection and its streams immediately. */
  destroy(reason: string): void
}

/** Stream ids have 31 bits, and clients use the odd ones (RFC 9113 section 5.1.1). */
const STREAMS_PER_SESSION_MAX = 1_000_000_000
/** For all streams of a connection and the data waiting for its socket. */
const MEMORY_MAX_MB = 64
/** A closed session ends its half of the connection; the server may never end the other half. */
const LINGER_MS = 1000

export function openSession(options: SessionOptions, events: SessionEvents): Http2Session {
  const session = connect(options.origin, {
    ...(options.ca !== undefined && { ca: options.ca }),
    maxSessionMemory: MEMORY_MAX_MB,
    settings: { enablePush: false },
  })
  let phase: SessionPhase = 'connecting'
  let streams = 0
  let opened = 0
  let hasAnswered = false
  let goaway: Goaway | undefined
  let socket: Socket | undefined
  /** A request was abandoned, and the server has not answered a ping since. */
  let isSuspect = false
  let reason = 'closed by the server'

  /** Node closes a session some time before it emits 'close'. */
  const isReady = () => phase === 'ready' && !isSuspect && !session.closed && !session.destroyed
  const limit = () => {
    const allowed = session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY
    const own = hasAnswered ? options.streams_max : options.first_streams
    return Math.min(allowed, own, options.streams_max)
  }
  const beginDraining = (why: string, isDeliberate: boolean) => {
    if (phase === 'draining' || phase === 'ended') return
    const hasConnected = phase === 'ready'
    phase = 'draining'
    timers.stopIdle()
    if (streams === 0) timers.startLinger()
    const kind = hasConnected ? 'useless' : 'never_connected'
    events.onRetired({ kind: hasAnswered || isDeliberate ? 'good' : kind, reason: why })
  }
  const retire = (why: string) => {
    if (phase === 'connecting') session.destroy()
    else if (!session.closed) session.close()
    beginDraining(why, true)
  }
  const destroy = (why: string, isDeliberate: boolean) => {
    session.destroy()
    socket?.destroy()
    beginDraining(why, isDeliberate)
  }
  const timers = createTimers(session, options, {
    onSilence: (why) => destroy(why, false),
    onIdle: () => retire('idle'),
    onPong: () => {
      isSuspect = false
      events.onCapacity()
    },
    onLingering: () => socket?.destroy(),
  })

  const suspect = () => {
    if (phase !== 'ready') return
    isSuspect = true
    timers.ping()
  }

  const exchangeSession: ExchangeSession = {
    goaway: () => goaway,
    answered: (status) => {
      if (status < constants.HTTP_STATUS_INTERNAL_SERVER_ERROR) hasAnswered = true
    },
    closed: () => {
      streams -= 1
      if (streams === 0 && phase === 'ready') timers.startIdle()
      if (streams === 0 && phase === 'draining') timers.startLinger()
      events.onCapacity()
    },
  }

  session.on('connect', (_session, connected) => {
    socket = connected
  })

  session.on('remoteSettings', () => {
    if (phase === 'connecting') {
      phase = 'ready'
      timers.connected()
    }
    if (phase === 'ready') events.onCapacity()
  })
  session.on('goaway', (code: number, lastStreamID: number) => {
    const last_stream_id = Math.min(lastStreamID, goaway?.last_stream_id ?? lastStreamID)
    goaway = { code, last_stream_id }
    beginDraining(`GOAWAY ${code}`, false)
  })
  session.on('error', (error) => {
    reason = failureOfPost(error)
  })
  session.on('frameError', () => undefined)
  session.on('close', () => {
    beginDraining(reason, false)
    phase = 'ended'
    timers.stopAll()
    events.onEnd()
  })

  return {
    isConnecting: () => phase === 'connecting',
    isUsable: isReady,
    freeStreams: () => (isReady() ? Math.max(0, limit() - streams) : 0),
    streams: () => streams,
    isFull: () => isReady() && hasAnswered && streams >= limit(),
    send: ({ method, path, headers, body }, done) => {
      // The spread comes last: adding members to a spread object is far slower.
      const stream = session.request({ ':method': method, ':path': path, ...headers })
      streams += 1
      opened += 1
      timers.stopIdle()
      const cancel = runExchange(stream, body, exchangeSession, done)
      if (opened >= STREAMS_PER_SESSION_MAX) retire('out of stream ids')
      return (why) => {
        suspect()
        cancel(why)
      }
    },
    retire,
    destroy: (why) => destroy(why, true),
  }
}

type TimerEvents = {
  onSilence: (reason: string) => void
  onIdle: () => void
  onPong: () => void
  onLingering: () => void
}

/** The timers of a connection, for connecting, liveness, idleness and shutdown. */
function createTimers(session: ClientHttp2Session, options: SessionOptions, events: TimerEvents) {
  const { connect_timeout_ms } = options
  const establishing = setTimeout(events.onSilence, connect_timeout_ms, 'connect_timeout')
  let lingering: NodeJS.Timeout | undefined
  let pinging: NodeJS.Timeout | undefined
  let pong: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined

  const ping = () => {
    if (pong !== undefined || session.destroyed) return
    pong = setTimeout(() => events.onSilence('no answer to a ping'), options.ping_timeout_ms)
    session.ping((error) => {
      clearTimeout(pong)
      pong = undefined
      if (!error) events.onPong()
    })
  }
  const stopIdle = () => {
    clearTimeout(idle)
    idle = undefined
  }
  const startIdle = () => {
    stopIdle()
    idle = setTimeout(events.onIdle, options.idle_timeout_ms)
  }
  return {
    connected: () => {
      clearTimeout(establishing)
      pinging = setInterval(ping, options.ping_interval_ms)
      startIdle()
    },
    ping,
    startIdle,
    stopIdle,
    startLinger: () => {
      lingering ??= setTimeout(events.onLingering, LINGER_MS)
    },
    stopAll: () => {
      clearTimeout(establishing)
      clearTimeout(lingering)
      clearInterval(pinging)
      clearTimeout(pong)
      stopIdle()
    },
  }
}
