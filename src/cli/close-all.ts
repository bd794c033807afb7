/** Closes what a service has opened, within a deadline. */
import type { Log } from '../platform/log.ts'

/** Time that requests in progress get to finish. */
const STOP_DEADLINE_MS = 10_000
/** Time that remaining work, such as look-ups in progress, gets after everything is closed. */
const LINGER_MS = 100

/** Ends the process afterwards. */
export async function closeAll(
  closers: (() => Promise<void>)[],
  log: Log,
  deadlineMs = STOP_DEADLINE_MS,
): Promise<void> {
  const deadline = setTimeout(() => {
    log.warn('requests in progress did not finish in time')
    process.exit(1)
  }, deadlineMs)
  for (const close of closers) {
    await close().catch((error: unknown) => log.error({ err: error }, 'closing failed'))
  }
  clearTimeout(deadline)
  // The timer is unreferenced, so without remaining work the process ends immediately.
  setTimeout(() => process.exit(), LINGER_MS).unref()
}
