/** Whether a service of this machine responds, for health checks. */

/** @returns whether the status is 2xx within the time */
export async function responds(url: URL, timeoutMs: number): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })).ok
  } catch {
    return false
  }
}
