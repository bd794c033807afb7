/** Batches in the storage of the browser, from which the next page of the site sends them. */
import type { Batch } from './queue.ts'
import type { Store } from './storage.ts'

/** A small part of the 5 MB that an origin can store. */
export const STORED_CHARS_MAX = 200_000

const NAME = 'queue'

export type BatchStore = {
  /**
   * Appends batches and drops the oldest ones beyond the limit.
   * @returns the number of events that were dropped; undefined when nothing could be stored
   */
  put: (batches: readonly Batch[]) => number | undefined
  takeAll: () => Batch[]
  clear: () => void
}

export function createBatchStore(store: Store): BatchStore {
  const clear = (): void => store.remove(NAME)
  const read = (): Batch[] => {
    const stored = store.read<unknown>(NAME)
    return Array.isArray(stored) ? stored.filter(isBatch) : []
  }
  return {
    put: (batches) => {
      const all = [...read(), ...batches]
      let dropped = 0
      while (JSON.stringify(all).length > STORED_CHARS_MAX) dropped += all.shift()?.count ?? 0
      return store.write(NAME, all) ? dropped : undefined
    },
    takeAll: () => {
      const batches = read()
      if (batches.length > 0) clear()
      return batches
    },
    clear,
  }
}

/** Validates a stored value, because any script of the page can write to the storage. */
const isBatch = (value: unknown): value is Batch =>
  typeof (value as Batch | null)?.body === 'string' && typeof (value as Batch).count === 'number'
