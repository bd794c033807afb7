/** A fixed number of things that are lent to one at a time; who comes later waits, up to a number. */

export type Slots<T> = {
  /**
   * Runs the work with one of them. `isWanted` is asked when its turn comes.
   * @returns undefined when it was not wanted any more
   * @throws what `whenFull` makes, when too many are waiting
   */
  use<R>(isWanted: () => boolean, work: (thing: T) => Promise<R>): Promise<R | undefined>
  /** How many are lent out at this moment. */
  busy(): number
}

export function createSlots<T>(options: {
  things: readonly T[]
  waiting_max: number
  whenFull: () => Error
}): Slots<T> {
  const free = [...options.things]
  const waiting: ((thing: T) => void)[] = []
  const take = async (): Promise<T> => {
    const thing = free.pop()
    if (thing !== undefined) return thing
    if (waiting.length >= options.waiting_max) throw options.whenFull()
    return await new Promise((resolve) => waiting.push(resolve))
  }
  const giveBack = (thing: T) => {
    const next = waiting.shift()
    if (next) next(thing)
    else free.push(thing)
  }
  return {
    use: async (isWanted, work) => {
      const thing = await take()
      try {
        return isWanted() ? await work(thing) : undefined
      } finally {
        giveBack(thing)
      }
    },
    busy: () => options.things.length - free.length,
  }
}
