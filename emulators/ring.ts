/** The last few of many: what is older makes room. */
export type Ring<T> = {
  add(item: T): void
  /** Oldest first. */
  list(): T[]
  clear(): void
}

export function createRing<T>(size: number): Ring<T> {
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
