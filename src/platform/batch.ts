/**
 * Combines the work of concurrent callers: items that arrive while a batch is running form the next
 * one. Under light load an item runs alone and immediately; under heavy load batches grow, so there
 * is no timer and no added latency.
 */
export type Batcher<Item, Result> = {
  submit(item: Item): Promise<Result>
  /** Resolves when all items submitted so far are done. */
  drain(): Promise<void>
}

export type BatcherOptions<Item, Result> = {
  /** Returns results in the order of the items; a thrown error fails the whole batch. */
  run: (items: Item[]) => Promise<Result[]>
  items_max: number
  /** Maximum total size, by `sizeOf`, of a batch with several items. */
  size_max?: number
  sizeOf?: (item: Item) => number
  batches_in_flight_max: number
  /**
   * Number of waiting items that starts a further batch while one is running. Fewer items wait for
   * the running batch, because two small batches cost more than a large one. Default: 1.
   */
  second_batch_min?: number
  /**
   * Whether one item may have caused the failure of a batch. Then each item runs alone, so that a bad
   * item does not fail the others. Only for work that has no effect when it fails, such as a
   * transaction. Default: never.
   */
  may_be_one_item?: (error: unknown) => boolean
  /** Refuses items while this number of others is waiting. Default: never. */
  refusal?: { waiting_max: number; error: () => Error }
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
      : queue.length >= (options.second_batch_min ?? 1) && inFlight < options.batches_in_flight_max

  const schedule = () => {
    if (scheduled || !isDue()) return
    scheduled = true
    // Waiting one turn of the event loop combines requests that were read together.
    setImmediate(() => {
      scheduled = false
      start()
    })
  }

  /** Number of waiting items in the next batch; at least one. */
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
      if (results.length !== batch.length)
        throw new Error('a batch must return a result for every item')
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result))
    } catch (error) {
      const mayBeOneItem = batch.length > 1 && (options.may_be_one_item?.(error) ?? false)
      if (!mayBeOneItem) {
        for (const { reject } of batch) reject(error)
        return
      }
      for (const waiting of batch) await settle([waiting])
    }
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        const { refusal } = options
        if (refusal && queue.length >= refusal.waiting_max) return reject(refusal.error())
        queue.push({ item, resolve, reject })
        schedule()
      }),
    drain: () =>
      inFlight === 0 && queue.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => idleListeners.push(resolve)),
  }
}
