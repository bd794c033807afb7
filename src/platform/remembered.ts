/** What is read at most every so often, however often it is asked for. */

/** @param read a failure is not remembered */
export function remembered<T>(read: () => Promise<T>, everyMs: number): () => Promise<T> {
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
