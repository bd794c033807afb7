/**
 * Watches what the process of the engine really takes. The engine counts what its queries allocate
 * and refuses beyond its limit, but keeps freed memory for a while, and cannot count what it loses.
 */
import { CODE } from '../errors.ts'
import { RequestFault } from './fault.ts'

export type MemoryGuard = {
  /** @throws RequestFault when there is no memory for one more */
  admit(): Promise<void>
  /** From time to time, when nobody asks anything. */
  tidy(): Promise<'fine' | 'full'>
}

export function createMemoryGuard(options: {
  /** Above, nothing more is admitted. */
  max_bytes: number
  resident: () => number
  /** Gives freed memory back to the system. */
  purge: () => Promise<void>
}): MemoryGuard {
  const { max_bytes, resident } = options
  let purging: Promise<void> | undefined
  const purge = async () => {
    purging ??= options.purge().finally(() => {
      purging = undefined
    })
    await purging
  }
  return {
    admit: async () => {
      if (resident() <= max_bytes) return
      await purge()
      const now = resident()
      if (now <= max_bytes) return
      const megabytes = (bytes: number) => Math.round(bytes / 1e6)
      throw new RequestFault(
        CODE.memory_limit,
        `Memory limit exceeded: the process takes ${megabytes(now)} MB, maximum: ${megabytes(max_bytes)} MB`,
      )
    },
    tidy: async () => {
      if (resident() > max_bytes / 2) await purge()
      return resident() > max_bytes ? 'full' : 'fine'
    },
  }
}
