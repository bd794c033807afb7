/**
 * Work of others cannot always be stopped; waiting for it can. What comes of it later is let go.
 *
 * @param told what is answered instead, as soon as the signal fires
 */
export async function unlessStopped<T, S>(
  signal: AbortSignal,
  work: Promise<T>,
  told: S,
): Promise<T | S> {
  let stop = () => {}
  const stopped = new Promise<S>((resolve) => {
    stop = () => resolve(told)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
