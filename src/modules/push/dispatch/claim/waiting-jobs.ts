/** Claimed jobs that wait for free capacity, by group: app and provider. */
import type { Room } from '../../../../platform/dispatch/index.ts'
import type { Channel, Job } from '../job.ts'

export type WaitingJobs = {
  size(): number
  groups(): string[]
  put(jobs: readonly Job[]): void
  /**
   * Takes as many jobs as there is room for, first from the groups with the fewest jobs under way.
   * @returns `stale` are jobs whose leases could expire while they are sent
   */
  take(room: Room): { ready: Job[]; stale: Job[] }
  clear(group: string): Job[]
  /** Adds the number of waiting jobs to the numbers under way, by group. */
  addedTo(inFlight: ReadonlyMap<string, number>): Map<string, number>
}

/** @param shareOf maximum number of jobs under way for the group of a channel */
export function createWaitingJobs(shareOf: (channel: Channel) => number): WaitingJobs {
  const byGroup = new Map<string, Job[]>()
  let size = 0

  const takeFrom = (waiting: Job[], count: number): Job[] => {
    const taken = waiting.splice(0, count)
    size -= taken.length
    return taken
  }

  return {
    size: () => size,
    groups: () => [...byGroup.keys()],
    put: (jobs) => {
      for (const job of jobs) {
        const { group } = job.batch.channel
        const waiting = byGroup.get(group)
        if (waiting) waiting.push(job)
        else byGroup.set(group, [job])
      }
      size += jobs.length
    },
    take: ({ jobs: places, in_flight }) => {
      const taken: Job[] = []
      const underWay = (group: string) => in_flight.get(group) ?? 0
      const groups = [...byGroup].toSorted(([a], [b]) => underWay(a) - underWay(b))
      for (const [group, waiting] of groups) {
        const [first] = waiting
        const share = first ? shareOf(first.batch.channel) - underWay(group) : 0
        taken.push(...takeFrom(waiting, Math.max(0, Math.min(share, places - taken.length))))
        if (waiting.length === 0) byGroup.delete(group)
      }
      const now = performance.now()
      const isReady = ({ batch }: Job) => batch.send_before_ms > now
      return { ready: taken.filter(isReady), stale: taken.filter((job) => !isReady(job)) }
    },
    clear: (group) => {
      const waiting = byGroup.get(group) ?? []
      byGroup.delete(group)
      return takeFrom(waiting, waiting.length)
    },
    addedTo: (inFlight) => {
      const counts = new Map(inFlight)
      for (const [group, waiting] of byGroup) {
        counts.set(group, (counts.get(group) ?? 0) + waiting.length)
      }
      return counts
    },
  }
}
