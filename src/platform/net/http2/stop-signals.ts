/**
 * Groups items by the signal that stops them. Each signal has one listener for all its items,
 * because adding or removing a listener scans the list of listeners.
 */

export type StopSignals<T> = {
  watch(signal: AbortSignal, item: T): void
  forget(signal: AbortSignal, item: T): void
}

/** @param stop called for each watched item when its signal aborts */
export function createStopSignals<T>(stop: (item: T) => void): StopSignals<T> {
  const watched = new Map<AbortSignal, { items: Set<T>; onAbort: () => void }>()
  return {
    watch: (signal, item) => {
      const known = watched.get(signal)
      if (known) return void known.items.add(item)
      const items = new Set([item])
      const onAbort = () => items.forEach(stop)
      signal.addEventListener('abort', onAbort, { once: true })
      watched.set(signal, { items, onAbort })
    },
    forget: (signal, item) => {
      const known = watched.get(signal)
      if (!known?.items.delete(item) || known.items.size > 0) return
      signal.removeEventListener('abort', known.onAbort)
      watched.delete(signal)
    },
  }
}
