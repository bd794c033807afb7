/** Batches in the browser's storage, from where whichever page is open next takes them. */
import type { Batch } from './queue.ts'
import type { Store } from './storage.ts'

/** Of the 5 MB that an origin may store. */
export const STORED_CHARS_MAX = 200_000

const NAME = 'queue'

export type Shelf = {
  /** Behind those that are there. How many events fell out for it, undefined when none were stored. */
  put: (batches: readonly Batch[]) => number | undefined
  takeAll: () => Batch[]
  clear: () => void
}

export function createShelf(store: Store): Shelf {
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

/** Anybody on the page can write into the storage. */
const isBatch = (it: unknown): it is Batch =>
  typeof (it as Batch | null)?.body === 'string' && typeof (it as Batch).count === 'number'
