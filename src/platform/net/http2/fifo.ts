/** First in, first out; what is taken out of turn is left in its place and passed over later. */

export type Fifo<T> = {
  /** Without those that were removed. */
  size(): number
  push(item: T): void
  /** In front of all others. */
  unshift(item: T): void
  /** The oldest; undefined when there is none. */
  shift(): T | undefined
  remove(item: T): void
}

/** Below this many, what was taken is not worth being cleared away. */
const CLEARING_MIN = 1024

export function createFifo<T>(): Fifo<T> {
  const waiting = new Set<T>()
  let items: T[] = []
  let head = 0
  /** The oldest is the last. */
  const returned: T[] = []

  const next = (): T | undefined => {
    const again = returned.pop()
    if (again !== undefined) return again
    const item = items[head]
    head += 1
    if (head > CLEARING_MIN && head * 2 > items.length) {
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
