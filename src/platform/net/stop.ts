/**
 * Ends a request early: at its deadline, or because its caller stops. It does what an AbortController would
 * do, with one listener, because a request waits in one place at a time.
 */
export type Stop = {
  readonly isStopped: boolean
  /** Calls the listener when the request has to end. It replaces the one before. */
  onStop: (listener: (() => void) | undefined) => void
}

export type Stopper = Stop & { stop: () => void }

export function createStop(): Stopper {
  let isStopped = false
  let listener: (() => void) | undefined
  return {
    get isStopped() {
      return isStopped
    },
    onStop: (next) => {
      listener = next
    },
    stop: () => {
      if (isStopped) return
      isStopped = true
      listener?.()
    },
  }
}

/** Stops all requests of a caller with one listener for its signal. */
export function createCallers(): (signal: AbortSignal, stopper: Stopper) => () => void {
  const groups = new WeakMap<AbortSignal, Set<Stopper>>()
  const groupOf = (signal: AbortSignal): Set<Stopper> => {
    const known = groups.get(signal)
    if (known) return known
    const group = new Set<Stopper>()
    groups.set(signal, group)
    signal.addEventListener('abort', () => {
      for (const { stop } of group) stop()
    })
    return group
  }
  return (signal, stopper) => {
    if (signal.aborted) stopper.stop()
    const group = groupOf(signal)
    group.add(stopper)
    return () => group.delete(stopper)
  }
}
