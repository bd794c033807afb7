/**
 * Concurrent callers share work: items that arrive while a batch is under way wait and go together
 * in the next one. Under light load an item travels alone and at once; under heavy load batches
 * grow by themselves, so there is no timer and no added latency.
 */
export type Batcher<Item, Result> = {
  submit(item: Item): Promise<Result>
  /** Resolves when everything submitted so far is done. */
  drain(): Promise<void>
}

export type BatcherOptions<Item, Result> = {
  /** Answers in the order of the items; a thrown error fails the whole batch. */
  run: (items: Item[]) => Promise<Result[]>
  items_max: number
  /** A batch of several items is no larger than this, by the measure of `sizeOf`. */
  size_max?: number
  sizeOf?: (item: Item) => number
  batches_in_flight_max: number
  /**
   * So many have to wait before a batch starts beside another one; fewer wait for its end, because
   * two small batches cost more than a big one. Default 1.
   */
  beside_min?: number
  /**
   * Whether a failed batch of several items may be the fault of one of them: then each is run
   * alone, so that a bad item cannot spoil its neighbours. Only for work that leaves nothing behind
   * when it fails (a transaction). Default: never.
   */
  may_be_one_item?: (error: unknown) => boolean
}

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  let queue: Waiting<Item, Result>[] = []
  let inFlight = 0
  let scheduled = false
  let idleListeners: (() => void)[] = []

  const isDue = () =>
    inFlight === 0
      ? queue.length > 0
      : queue.length >= (options.beside_min ?? 1) && inFlight < options.batches_in_flight_max

  const schedule = () => {
    if (scheduled || !isDue()) return
    scheduled = true
    // One turn of the event loop lets the requests that were read together travel together.
    setImmediate(() => {
      scheduled = false
      start()
    })
  }

  /** How many of those that wait go together: one at least. */
  const nextCount = (): number => {
    const { items_max, size_max = Number.POSITIVE_INFINITY, sizeOf = () => 0 } = options
    let size = 0
    let count = 0
    for (const { item } of queue) {
      size += sizeOf(item)
      if (count === items_max || (count > 0 && size > size_max)) break
      count += 1
    }
    return count
  }

  const start = () => {
    while (isDue()) {
      const count = nextCount()
      const batch = queue.slice(0, count)
      queue = queue.slice(count)
      inFlight += 1
      void settle(batch).finally(() => {
        inFlight -= 1
        schedule()
        if (inFlight === 0 && queue.length === 0) {
          for (const listener of idleListeners) listener()
          idleListeners = []
        }
      })
    }
  }

  const settle = async (batch: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await options.run(batch.map(({ item }) => item))
      if (results.length !== batch.length) throw new Error('a batch must answer every item')
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result))
    } catch (error) {
      const mayBeOne = batch.length > 1 && (options.may_be_one_item?.(error) ?? false)
      if (!mayBeOne) {
        for (const { reject } of batch) reject(error)
        return
      }
      for (const waiting of batch) await settle([waiting])
    }
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject })
        schedule()
      }),
    drain: () =>
      inFlight === 0 && queue.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => idleListeners.push(resolve)),
  }
}
