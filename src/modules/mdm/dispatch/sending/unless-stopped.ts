/**
 * Waits for work that cannot be aborted itself. Once the signal fires, the work is no longer waited for
 * and its result is dropped.
 *
 * @param fallback the result when the signal fires first
 */
export async function unlessStopped<T, S>(
  signal: AbortSignal,
  work: Promise<T>,
  fallback: S,
): Promise<T | S> {
  let stop = () => {}
  const stopped = new Promise<S>((resolve) => {
    stop = () => resolve(fallback)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
