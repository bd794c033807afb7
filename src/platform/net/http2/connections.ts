/** The connections of a pool: how many there are, when another is opened, and what a useless one costs. */
import type { Log } from '../../log.ts'
import { type Http2Session, type Leave, openSession, type SessionOptions } from './session.ts'

export type ConnectionsOptions = SessionOptions & {
  readonly sessions_max: number
  /** Pause after connections that were of no use, doubled each time. */
  readonly reconnect: { readonly first_ms: number; readonly most_ms: number }
  readonly log: Log
  readonly random: () => number
}

type ConnectionsEvents = {
  /** There may be room, or a connection may be opened. */
  onRoom: () => void
  /** A connection could not be made, and there is no other. */
  onAway: () => void
}

export type Connections = {
  /** The one with the most room; undefined when there is none with any. */
  roomiest(): Http2Session | undefined
  /** Opens another unless one is on its way, or has room, or it is too early. */
  openIfUseful(): void
  /** Opens none any more, and resolves when all have ended. */
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
  let hasEnded = () => {}

  const isAnyUsable = () => [...sessions].some((each) => each.isUsable())
  /** Asked by every request that has to wait, and so without making anything. */
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

  const afterLeave = ({ kind, reason }: Leave): void => {
    if (kind === 'good') {
      pause.reset()
      log.debug({ origin, reason }, 'HTTP/2 connection ends')
    } else if (!isClosing) {
      const pause_ms = pause.begin(events.onRoom)
      log.warn({ origin, reason, pause_ms }, 'HTTP/2 connection was of no use')
    }
    if (kind === 'never_connected' && !isAnyUsable()) events.onAway()
    events.onRoom()
  }

  return {
    roomiest: () => {
      let best: Http2Session | undefined
      let most = 0
      for (const session of sessions) {
        const room = session.room()
        if (room <= most) continue
        best = session
        most = room
      }
      return best
    },
    openIfUseful: () => {
      if (isClosing || pause.isOn() || !isAnotherUseful()) return
      const session = openSession(options, {
        onRoom: events.onRoom,
        onLeave: afterLeave,
        onEnd: () => {
          sessions.delete(session)
          if (sessions.size === 0) hasEnded()
        },
      })
      sessions.add(session)
    },
    close: async () => {
      isClosing = true
      pause.reset()
      if (sessions.size === 0) return
      const ended = new Promise<void>((resolve) => {
        hasEnded = resolve
      })
      for (const session of sessions) session.retire('closed')
      await ended
    },
    destroy: () => {
      for (const session of sessions) session.destroy('closed')
    },
  }
}

/** After what was of no use, nothing is opened for a while, with jitter lest all nodes come at once. */
function createPause({ first_ms, most_ms }: ConnectionsOptions['reconnect'], random: () => number) {
  let times = 0
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    isOn: () => timer !== undefined,
    begin: (then: () => void): number => {
      const planned = Math.min(first_ms * 2 ** times, most_ms)
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
