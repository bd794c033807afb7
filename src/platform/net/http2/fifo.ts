/** A queue from which any item can be removed; a removed item stays in place and is skipped later. */

export type Fifo<T> = {
  /** Does not count removed items. */
  size(): number
  push(item: T): void
  /** Puts the item before all others. */
  unshift(item: T): void
  /** Takes the oldest item; undefined when the queue is empty. */
  shift(): T | undefined
  remove(item: T): void
}

/** Compacting the array pays off only above this number of taken items. */
const COMPACTION_MIN = 1024

export function createFifo<T>(): Fifo<T> {
  const waiting = new Set<T>()
  let items: T[] = []
  let head = 0
  /** Newest first. */
  const returned: T[] = []

  const next = (): T | undefined => {
    const again = returned.pop()
    if (again !== undefined) return again
    const item = items[head]
    head += 1
    if (head > COMPACTION_MIN && head * 2 > items.length) {
      items = items.slice(head)
      head = 0
    }
    return item
  }

  return {
    size: () => waiting.size,
    push: (item) => {
      waiting.add(item)
      items.push(item)
    },
    unshift: (item) => {
      waiting.add(item)
      returned.push(item)
    },
    shift: () => {
      while (waiting.size > 0) {
        const item = next()
        if (item !== undefined && waiting.delete(item)) return item
      }
      return undefined
    },
    remove: (item) => {
      waiting.delete(item)
    },
  }
}
