/** Recipients that are claimed and wait for a place, by app and provider. */
import type { Room } from '../../../../platform/dispatch/index.ts'
import type { Channel, Job } from '../job.ts'

export type Shelves = {
  size(): number
  groups(): string[]
  put(jobs: readonly Job[]): void
  /**
   * As many as there are places, those first whose group has the fewest under way.
   * @returns `stale`: their leases could end while they are sent
   */
  take(room: Room): { ready: Job[]; stale: Job[] }
  clear(group: string): Job[]
  /** What is under way and what is here, by group. */
  addedTo(inFlight: ReadonlyMap<string, number>): Map<string, number>
}

/** @param sharesOf how many of a group may be under way */
export function createShelves(sharesOf: (channel: Channel) => number): Shelves {
  const shelves = new Map<string, Job[]>()
  let size = 0

  const takeFrom = (shelf: Job[], count: number): Job[] => {
    const taken = shelf.splice(0, count)
    size -= taken.length
    return taken
  }

  return {
    size: () => size,
    groups: () => [...shelves.keys()],
    put: (jobs) => {
      for (const job of jobs) {
        const { group } = job.batch.channel
        const shelf = shelves.get(group)
        if (shelf) shelf.push(job)
        else shelves.set(group, [job])
      }
      size += jobs.length
    },
    take: ({ jobs: places, in_flight }) => {
      const taken: Job[] = []
      const underWay = (group: string) => in_flight.get(group) ?? 0
      const groups = [...shelves].toSorted(([a], [b]) => underWay(a) - underWay(b))
      for (const [group, shelf] of groups) {
        const [first] = shelf
        const share = first ? sharesOf(first.batch.channel) - underWay(group) : 0
        taken.push(...takeFrom(shelf, Math.max(0, Math.min(share, places - taken.length))))
        if (shelf.length === 0) shelves.delete(group)
      }
      const now = performance.now()
      const isReady = ({ batch }: Job) => batch.send_before_ms > now
      return { ready: taken.filter(isReady), stale: taken.filter((job) => !isReady(job)) }
    },
    clear: (group) => {
      const shelf = shelves.get(group) ?? []
      shelves.delete(group)
      return takeFrom(shelf, shelf.length)
    },
    addedTo: (inFlight) => {
      const counts = new Map(inFlight)
      for (const [group, shelf] of shelves) {
        counts.set(group, (counts.get(group) ?? 0) + shelf.length)
      }
      return counts
    },
  }
}
