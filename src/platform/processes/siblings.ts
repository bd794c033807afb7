/**
 * Reports of the processes of one service to each other, through the supervisor, so that they behave as one
 * process: work that is due, and requests that count towards a rate limit.
 */
import type { Channel } from './channel.ts'
import type { Child } from './child.ts'

export type Siblings = {
  /**
   * Makes a hint about due work reach the processes that do the work.
   * @param hint the hint of this process
   * @returns the hint to use, which is cheap; several calls are combined
   */
  relay(name: string, hint: () => void): () => void
  /** Reports points that were counted here. */
  reportPoints(limit: string, key: string, points: number): void
  /** The listener learns of points that others counted. */
  onPoints(listener: (limit: string, key: string, points: number) => void): void
}

type Counted = [limit: string, key: string, points: number]

/** Hints are combined for this long, which is less than the interval of any poll. */
const HINT_DELAY_MS = 2
/** The time by which processes know less than one process would about a rate limit. */
const COUNT_DELAY_MS = 50

const HINT = 'hint'
const POINTS = 'points'

export function createSiblings(channel: Channel, isWorker: boolean): Siblings {
  const hints = new Map<string, () => void>()
  const due = new Set<string>()
  const counted = new Map<string, Counted>()
  const report = () => {
    channel.send(POINTS, [...counted.values()])
    counted.clear()
  }
  channel.on(HINT, (name) => hints.get(String(name))?.())
  return {
    relay: (name, hint) => {
      hints.set(name, hint)
      if (isWorker) return hint
      return () => {
        if (due.has(name)) return
        due.add(name)
        setTimeout(() => {
          due.delete(name)
          channel.send(HINT, name)
        }, HINT_DELAY_MS)
      }
    },
    reportPoints: (limit, key, points) => {
      const name = `${limit} ${key}`
      const known = counted.get(name)
      if (known) known[2] += points
      else counted.set(name, [limit, key, points])
      if (counted.size === 1 && !known) setTimeout(report, COUNT_DELAY_MS)
    },
    onPoints: (listener) => {
      channel.on(POINTS, (all) => {
        for (const [limit, key, points] of all as Counted[]) listener(limit, key, points)
      })
    },
  }
}

/** Passes on what a process reports to the others. */
export function connectSiblings(child: Child, children: () => Iterable<Child>): void {
  const pass = (type: string, role: Child['role']) => {
    child.channel.on(type, (content) => {
      for (const other of children()) {
        if (other !== child && other.role === role) other.channel.send(type, content)
      }
    })
  }
  pass(HINT, 'worker')
  pass(POINTS, 'api')
}
