/**
 * Caches the result of `read` for a time; concurrent callers share one read.
 * @param read a failure is not cached
 */
export function cached<T>(read: () => Promise<T>, everyMs: number): () => Promise<T> {
  let last: Promise<T> | undefined
  let until = 0
  return () => {
    if (last === undefined || performance.now() >= until) {
      until = performance.now() + everyMs
      last = read()
      last.catch(() => {
        last = undefined
      })
    }
    return last
  }
}
