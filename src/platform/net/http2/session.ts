/**
 * One HTTP/2 connection: when it takes requests and how many at a time, whether it is alive, and how
 * it comes to its end.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { Socket } from 'node:net'
import { failureOfPost } from '../post-outcome.ts'
import {
  type CancelExchange,
  type ExchangeDone,
  type ExchangeSession,
  type Farewell,
  runExchange,
} from './exchange.ts'
import type { Http2Request } from './outcome.ts'

export type SessionOptions = {
  /** `https://api.example`, or with `http:` without TLS. */
  readonly origin: string
  /** The only authority that is trusted, in PEM; the usual authorities when left out. */
  readonly ca?: string | undefined
  readonly streams_max: number
  /** Until the first answer that is not a server's fault. */
  readonly first_streams: number
  /** Until TLS and the server's SETTINGS are there. */
  readonly connect_timeout_ms: number
  readonly ping_interval_ms: number
  /** Without an answer to a ping for so long, the connection is given up. */
  readonly ping_timeout_ms: number
  /** Without a stream for so long, the connection is closed. */
  readonly idle_timeout_ms: number
}

export type Leave = {
  /** `useless`: it was there, and neither answered anything nor is ended from here. */
  readonly kind: 'good' | 'useless' | 'never_connected'
  /** For the log. */
  readonly reason: string
}

type SessionEvents = {
  /** There may be room for a request that had to wait. */
  onRoom: () => void
  /** Called once: it takes no more requests. */
  onLeave: (leave: Leave) => void
  /** Called once, and last. */
  onEnd: () => void
}

type SessionPhase = 'connecting' | 'ready' | 'draining' | 'ended'

export type Http2Session = {
  isConnecting(): boolean
  /** It takes requests, though perhaps not at this moment. */
  isUsable(): boolean
  /** Requests that it takes at this moment. */
  room(): number
  streams(): number
  /** It takes as many requests as it ever will, and has them all. */
  isFull(): boolean
  /** Throws what Node throws when the request cannot be built. Only while there is room. */
  send(
    request: Pick<Http2Request, 'method' | 'path' | 'headers' | 'body'>,
    done: ExchangeDone,
  ): CancelExchange
  /** Takes nothing more and ends with its last stream. */
  retire(reason: string): void
  /** Ends now, with its streams. */
  destroy(reason: string): void
}

/** Ids are 31 bits wide and clients have the odd ones (RFC 9113 section 5.1.1). */
const STREAMS_PER_SESSION_MAX = 1_000_000_000
/** In megabytes: the streams of a whole connection with all that waits for the socket. */
const MEMORY_MAX_MB = 64
/** A session that is over ends its half of the connection; the server may not care to end the other. */
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
  let farewell: Farewell | undefined
  let socket: Socket | undefined
  /** Somebody gave up waiting, and nothing was heard from the server since. */
  let isSuspect = false
  let reason = 'closed by the server'

  /** Node ends a session some time before it says so. */
  const isReady = () => phase === 'ready' && !isSuspect && !session.closed && !session.destroyed
  const limit = () => {
    const told = session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY
    const own = hasAnswered ? options.streams_max : options.first_streams
    return Math.min(told, own, options.streams_max)
  }
  const leave = (why: string, isOwnWish: boolean) => {
    if (phase === 'draining' || phase === 'ended') return
    const hasConnected = phase === 'ready'
    phase = 'draining'
    timers.stopIdle()
    if (streams === 0) timers.startLinger()
    const kind = hasConnected ? 'useless' : 'never_connected'
    events.onLeave({ kind: hasAnswered || isOwnWish ? 'good' : kind, reason: why })
  }
  const retire = (why: string) => {
    if (phase === 'connecting') session.destroy()
    else if (!session.closed) session.close()
    leave(why, true)
  }
  const destroy = (why: string, isOwnWish: boolean) => {
    session.destroy()
    socket?.destroy()
    leave(why, isOwnWish)
  }
  const timers = watchOver(session, options, {
    onSilence: (why) => destroy(why, false),
    onIdle: () => retire('idle'),
    onPong: () => {
      isSuspect = false
      events.onRoom()
    },
    onLingering: () => socket?.destroy(),
  })

  const suspect = () => {
    if (phase !== 'ready') return
    isSuspect = true
    timers.ping()
  }

  const ofExchanges: ExchangeSession = {
    farewell: () => farewell,
    answered: (status) => {
      if (status < constants.HTTP_STATUS_INTERNAL_SERVER_ERROR) hasAnswered = true
    },
    closed: () => {
      streams -= 1
      if (streams === 0 && phase === 'ready') timers.startIdle()
      if (streams === 0 && phase === 'draining') timers.startLinger()
      events.onRoom()
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
    if (phase === 'ready') events.onRoom()
  })
  session.on('goaway', (code: number, lastStreamID: number) => {
    const last_stream_id = Math.min(lastStreamID, farewell?.last_stream_id ?? lastStreamID)
    farewell = { code, last_stream_id }
    leave(`GOAWAY ${code}`, false)
  })
  session.on('error', (error) => {
    reason = failureOfPost(error)
  })
  session.on('frameError', () => undefined)
  session.on('close', () => {
    leave(reason, false)
    phase = 'ended'
    timers.stopAll()
    events.onEnd()
  })

  return {
    isConnecting: () => phase === 'connecting',
    isUsable: isReady,
    room: () => (isReady() ? Math.max(0, limit() - streams) : 0),
    streams: () => streams,
    isFull: () => isReady() && hasAnswered && streams >= limit(),
    send: ({ method, path, headers, body }, done) => {
      // Spread last: an object that grows after that takes far longer.
      const stream = session.request({ ':method': method, ':path': path, ...headers })
      streams += 1
      opened += 1
      timers.stopIdle()
      const cancel = runExchange(stream, body, ofExchanges, done)
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

type Alarms = {
  onSilence: (reason: string) => void
  onIdle: () => void
  onPong: () => void
  onLingering: () => void
}

/** The clocks of a connection: for its establishment, its liveness, its idleness and its end. */
function watchOver(session: ClientHttp2Session, options: SessionOptions, events: Alarms) {
  const establishing = setTimeout(
    () => events.onSilence('connect_timeout'),
    options.connect_timeout_ms,
  )
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
