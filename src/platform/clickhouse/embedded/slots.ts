/** Lends each of a fixed number of items to one caller at a time; a limited number of callers wait. */

export type Slots<T> = {
  /**
   * Runs the work with an item, unless `isWanted` returns false when its turn comes.
   * @returns undefined if the work was no longer wanted
   * @throws the error of `whenFull` if too many callers are waiting
   */
  use<R>(isWanted: () => boolean, work: (item: T) => Promise<R>): Promise<R | undefined>
  /** Number of items that are lent out. */
  busy(): number
}

export function createSlots<T>(options: {
  items: readonly T[]
  waiting_max: number
  whenFull: () => Error
}): Slots<T> {
  const free = [...options.items]
  const waiting: ((item: T) => void)[] = []
  const take = async (): Promise<T> => {
    const item = free.pop()
    if (item !== undefined) return item
    if (waiting.length >= options.waiting_max) throw options.whenFull()
    return await new Promise((resolve) => waiting.push(resolve))
  }
  const giveBack = (item: T) => {
    const next = waiting.shift()
    if (next) next(item)
    else free.push(item)
  }
  return {
    use: async (isWanted, work) => {
      const item = await take()
      try {
        return isWanted() ? await work(item) : undefined
      } finally {
        giveBack(item)
      }
    },
    busy: () => options.items.length - free.length,
  }
}
