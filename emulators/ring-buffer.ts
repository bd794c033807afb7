/** A buffer of fixed size: when it is full, each new item replaces the oldest one. */
export type RingBuffer<T> = {
  add(item: T): void
  /** Returns the items, oldest first. */
  list(): T[]
  clear(): void
}

export function createRingBuffer<T>(size: number): RingBuffer<T> {
  let items: T[] = []
  let next = 0
  return {
    add: (item) => {
      items[next] = item
      next = (next + 1) % size
    },
    list: () =>
      items.length < size ? [...items] : [...items.slice(next), ...items.slice(0, next)],
    clear: () => {
      items = []
      next = 0
    },
  }
}
