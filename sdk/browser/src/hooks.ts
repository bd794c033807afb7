/**
 * The only ways in which the SDK touches a page. Whatever goes wrong behind them stays there, and each
 * answers how to take it out again.
 */

export type Stop = () => void

/** Runs it and keeps what it throws: monitoring must not break what it monitors. */
export function guard<A extends unknown[]>(run: (...values: A) => void): (...values: A) => void {
  return (...values) => {
    try {
      run(...values)
    } catch {
      // Nobody on the page can do anything about it.
    }
  }
}

export function listen<E extends Event>(
  target: EventTarget,
  type: string,
  handle: (event: E) => void,
): Stop {
  const guarded = guard(handle) as (event: Event) => void
  const options = { capture: true, passive: true }
  target.addEventListener(type, guarded, options)
  return () => target.removeEventListener(type, guarded, options)
}

/**
 * Calls `after` after each call of a method. When somebody else has wrapped it too, it cannot be put
 * back without taking theirs away: then it stays and does nothing.
 */
export function callAfter<T extends object, K extends keyof T>(
  target: T,
  name: K,
  after: () => void,
): Stop {
  const original = target[name] as (...values: unknown[]) => unknown
  let notify: () => void = guard(after)
  const wrapper = function (this: unknown, ...values: unknown[]): unknown {
    const answer = original.apply(this, values)
    notify()
    return answer
  }
  target[name] = wrapper as T[K]
  return () => {
    notify = () => undefined
    if (target[name] === wrapper) target[name] = original as T[K]
  }
}

export type Observation = { flush: () => void; stop: Stop }

/** Performance entries of a type. A browser that does not know the type answers with none. */
export function observe<E extends PerformanceEntry>(
  type: string,
  handle: (entry: E) => void,
  options: PerformanceObserverInit,
): Observation {
  try {
    const each = guard(handle)
    const take = (entries: PerformanceEntryList): void => (entries as E[]).forEach(each)
    const observer = new PerformanceObserver((list) => take(list.getEntries()))
    observer.observe({ type, ...options })
    return { flush: () => take(observer.takeRecords()), stop: () => observer.disconnect() }
  } catch {
    return { flush: () => undefined, stop: () => undefined }
  }
}
