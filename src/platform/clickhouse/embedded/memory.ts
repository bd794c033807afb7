/**
 * Limits the resident memory of the engine's process. The engine limits what its queries allocate,
 * but it retains freed memory for a while and cannot count what it leaks.
 */
import { CODE } from '../errors.ts'
import { RequestFault } from './request-fault.ts'

export type MemoryGuard = {
  /** @throws RequestFault if there is no memory for another request */
  admit(): Promise<void>
  /** Releases memory; to be called periodically. */
  tidy(): Promise<'fine' | 'full'>
}

export function createMemoryGuard(options: {
  /** Above this, requests are refused. */
  max_bytes: number
  resident: () => number
  /** Returns freed memory to the operating system. */
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
        `Memory limit exceeded: the process uses ${megabytes(now)} MB, maximum: ${megabytes(max_bytes)} MB`,
      )
    },
    tidy: async () => {
      if (resident() > max_bytes / 2) await purge()
      return resident() > max_bytes ? 'full' : 'fine'
    },
  }
}
