/**
 * The hooks of the SDK into a page. Exceptions do not leave them, and each returns a function that
 * removes it.
 */

export type Stop = () => void

/** Suppresses exceptions of a function, because monitoring must not break the page. */
export function guard<A extends unknown[]>(run: (...values: A) => void): (...values: A) => void {
  return (...values) => {
    try {
      run(...values)
    } catch {
      // The page cannot handle errors of the SDK.
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
 * Calls `after` after each call of a method. If other code has wrapped the method in the meantime, the
 * wrapper cannot be removed without removing theirs: it then remains without effect.
 */
export function callAfter<T extends object, K extends keyof T>(
  target: T,
  name: K,
  after: () => void,
): Stop {
  const original = target[name] as (...values: unknown[]) => unknown
  let notify: () => void = guard(after)
  const wrapper = function (this: unknown, ...values: unknown[]): unknown {
    const result = original.apply(this, values)
    notify()
    return result
  }
  target[name] = wrapper as T[K]
  return () => {
    notify = () => undefined
    if (target[name] === wrapper) target[name] = original as T[K]
  }
}

export const stopAll =
  (...stops: readonly (Stop | undefined)[]): Stop =>
  () =>
    stops.forEach((stop) => stop?.())

export type Observation = { flush: () => void; stop: Stop }

/** Observes performance entries of a type. A browser that does not support the type reports none. */
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
