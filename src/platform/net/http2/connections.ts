/** The connections of a pool: decides when to open another one, and pauses after useless ones. */
import type { Log } from '../../log.ts'
import { type Http2Session, openSession, type Retirement, type SessionOptions } from './session.ts'

export type ConnectionsOptions = SessionOptions & {
  /** Another connection is opened when all are full. */
  readonly sessions_max: number
  /** Pause after useless connections, doubled each time. */
  readonly reconnect: { readonly first_ms: number; readonly max_ms: number }
  readonly log: Log
  /** Returns numbers in [0, 1). */
  readonly random: () => number
}

type ConnectionsEvents = {
  /** A request may be sent, or a connection opened. */
  onCapacity: () => void
  /** A connection failed, and there is no other. */
  onUnreachable: () => void
}

export type Connections = {
  /** The connection with the most free streams; undefined when none has any. */
  leastLoaded(): Http2Session | undefined
  /** Opens a connection unless one is connecting, one has free streams, or a pause is running. */
  openIfUseful(): void
  /** Opens no further connection, and resolves when all have ended. */
  close(): Promise<void>
  destroy(): void
}

export function createConnections(
  options: ConnectionsOptions,
  events: ConnectionsEvents,
): Connections {
  const { log, origin, sessions_max } = options
  const sessions = new Set<Http2Session>()
  const pause = createPause(options.reconnect, options.random)
  let isClosing = false
  let onAllEnded = () => {}

  const isAnyUsable = () => [...sessions].some((each) => each.isUsable())
  /** Runs for every waiting request, so it allocates nothing. */
  const isAnotherUseful = (): boolean => {
    let ready = 0
    for (const session of sessions) {
      if (session.isConnecting()) return false
      if (!session.isUsable()) continue
      if (!session.isFull()) return false
      ready += 1
    }
    return ready < sessions_max
  }

  const afterRetirement = ({ kind, reason }: Retirement): void => {
    if (kind === 'good') {
      pause.reset()
      log.debug({ origin, reason }, 'HTTP/2 connection ended')
    } else if (!isClosing) {
      const pause_ms = pause.begin(events.onCapacity)
      const fields = { origin, reason, pause_ms }
      log.warn(fields, 'HTTP/2 connection failed; pausing before the next one')
    }
    if (kind === 'never_connected' && !isAnyUsable()) events.onUnreachable()
    events.onCapacity()
  }

  return {
    leastLoaded: () => {
      let best: Http2Session | undefined
      let most = 0
      for (const session of sessions) {
        const free = session.freeStreams()
        if (free <= most) continue
        best = session
        most = free
      }
      return best
    },
    openIfUseful: () => {
      if (isClosing || pause.isOn() || !isAnotherUseful()) return
      const session = openSession(options, {
        onCapacity: events.onCapacity,
        onRetired: afterRetirement,
        onEnd: () => {
          sessions.delete(session)
          if (sessions.size === 0) onAllEnded()
        },
      })
      sessions.add(session)
    },
    close: async () => {
      isClosing = true
      pause.reset()
      if (sessions.size === 0) return
      const ended = new Promise<void>((resolve) => {
        onAllEnded = resolve
      })
      for (const session of sessions) session.retire('closed')
      await ended
    },
    destroy: () => {
      for (const session of sessions) session.destroy('closed')
    },
  }
}

/** Delays the next connection after a useless one, with jitter so that nodes do not reconnect in step. */
function createPause({ first_ms, max_ms }: ConnectionsOptions['reconnect'], random: () => number) {
  let times = 0
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    isOn: () => timer !== undefined,
    begin: (then: () => void): number => {
      const planned = Math.min(first_ms * 2 ** times, max_ms)
      const pause_ms = Math.round(planned * (0.5 + random() / 2))
      times += 1
      stop()
      timer = setTimeout(() => {
        timer = undefined
        then()
      }, pause_ms)
      return pause_ms
    },
    reset: () => {
      times = 0
      stop()
    },
  }
}
