/**
 * Unpacks the bodies of a caller one at a time, so that the next body costs nothing after one of them has
 * exceeded the limit of the caller. After a large body, the next one of the caller waits while the requests
 * of others are processed: several together would delay all of them.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export type CallerTurns = (
  caller: string | undefined,
  unpack: () => Promise<Buffer>,
) => Promise<Buffer>

/** A browser sends at most this much while a page is being closed. */
const SMALL_BYTES = 65_536
/** Parsing, examining and storing take 0.05 to 0.1 µs for each byte; a caller gets a fourth of the time. */
const PAUSE_US_PER_BYTE = 0.3

/** Without a caller, nothing waits. */
export function createCallerTurns(): CallerTurns {
  const last = new Map<string, Promise<unknown>>()
  return async (caller, unpack) => {
    if (caller === undefined) return await unpack()
    const before = last.get(caller)
    const own = before === undefined ? unpack() : before.then(unpack)
    const turn = own.then(pauseAfter, () => undefined)
    last.set(caller, turn)
    void turn.then(() => {
      if (last.get(caller) === turn) last.delete(caller)
    })
    return await own
  }
}

async function pauseAfter({ length }: Buffer): Promise<void> {
  if (length > SMALL_BYTES) await sleep((length * PAUSE_US_PER_BYTE) / 1000)
}
