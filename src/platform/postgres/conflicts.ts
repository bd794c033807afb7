const ATTEMPTS_MAX = 5

/** Serialization failure and deadlock (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const CONFLICTS = new Set<unknown>(['40001', '40P01'])

/**
 * Repeats a transaction that the server ended because of a conflict.
 * @param work a whole transaction without other effects
 */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (attempt === ATTEMPTS_MAX || !CONFLICTS.has(code)) throw error
    }
  }
}
