/**
 * Who is stopped by which signal. Each signal has one listener however many it stops, because the
 * list of listeners is walked for every one that comes and goes.
 */

export type StopSignals<T> = {
  watch(signal: AbortSignal, item: T): void
  forget(signal: AbortSignal, item: T): void
}

/** @param stop called for each item that is watched when its signal fires */
export function createStopSignals<T>(stop: (item: T) => void): StopSignals<T> {
  const watched = new Map<AbortSignal, { items: Set<T>; onAbort: () => void }>()
  return {
    watch: (signal, item) => {
      const known = watched.get(signal)
      if (known) {
        known.items.add(item)
        return
      }
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
