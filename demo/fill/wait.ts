/** Waits for background work of the service and the emulators. */
import { setTimeout as pause } from 'node:timers/promises'

const TIMEOUT_MS = 120_000
const POLL_MS = 25

/** @param what for the error, as in "Timed out waiting for …" */
export async function waitFor<T>(
  what: string,
  find: () => Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const found = await find()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`Timed out waiting for ${what}`)
    await pause(POLL_MS)
  }
}
