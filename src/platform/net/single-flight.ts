/**
 * Callers that ask for the same thing at the same time share one piece of work.
 * Nothing is kept once the work has ended, so neither a value nor an error can stick.
 */

export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>

/** A new group of flights; keys of different groups do not meet. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const flying = new Map<string, Promise<T>>()
  return (key, work) => {
    const joined = flying.get(key)
    if (joined !== undefined) return joined
    const flight = run(work).finally(() => flying.delete(key))
    flying.set(key, flight)
    return flight
  }
}

/** As an async function, so that work that throws at once rejects like any other. */
async function run<T>(work: () => Promise<T>): Promise<T> {
  return await work()
}
