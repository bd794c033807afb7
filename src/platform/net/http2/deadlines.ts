/**
 * One timer for the deadlines of all that is under way, because nearly all of it ends long before and a
 * timer of its own would be made and taken back for each.
 */

export type Deadlines<T> = {
  add(item: T, inMs: number): void
  remove(item: T): void
}

/** @param onOver called once for each item that was not removed by its deadline, and then is */
export function createDeadlines<T>(onOver: (item: T) => void): Deadlines<T> {
  const ends = new Map<T, number>()
  let timer: NodeJS.Timeout | undefined
  let ringsAt = Number.POSITIVE_INFINITY

  const silence = () => {
    clearTimeout(timer)
    ringsAt = Number.POSITIVE_INFINITY
  }
  const ringAt = (at: number) => {
    if (at >= ringsAt) return
    silence()
    ringsAt = at
    timer = setTimeout(ring, Math.ceil(at - performance.now()))
  }
  const ring = () => {
    ringsAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const [item, at] of ends) {
      if (at > now) next = Math.min(next, at)
      else if (ends.delete(item)) onOver(item)
    }
    ringAt(next)
  }

  return {
    add: (item, inMs) => {
      const at = performance.now() + inMs
      ends.set(item, at)
      ringAt(at)
    },
    remove: (item) => {
      // A process that has nothing else to do ends.
      if (ends.delete(item) && ends.size === 0) silence()
    },
  }
}
