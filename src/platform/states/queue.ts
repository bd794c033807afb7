/**
 * Queue of steps that wait for a batch. Its length and the waiting time are limited; a step that is
 * refused here has changed nothing.
 */
import type { Pending } from './batch.ts'

export type Queue = {
  readonly length: number
  add(pending: Pending): void
  /** Returns the next steps, except those whose identity is in a running batch. */
  take(stepsMax: number): Pending[]
  /** Ends the use of the identity of a step, so that the next one with it can be taken. */
  release(pending: Pending): void
}

export type QueueOptions = {
  steps_max: number
  wait_max_ms: number
  /** Called when steps were refused. */
  onExpired: () => void
}

/** The step was never applied, so nothing of it is stored and it can be submitted again. */
export class NotTakenError extends Error {
  override name = 'NotTakenError'
}

type Waiting = { pending: Pending; since_ms: number }

export function createQueue({ steps_max, wait_max_ms, onExpired }: QueueOptions): Queue {
  const identities = new Set<string>()
  let waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined

  const watch = () => {
    const [oldest] = waiting
    if (timer !== undefined || !oldest) return
    timer = setTimeout(expire, oldest.since_ms + wait_max_ms - performance.now())
    timer.unref()
  }

  const expire = () => {
    timer = undefined
    const since = performance.now() - wait_max_ms
    const firstValid = waiting.findIndex(({ since_ms }) => since_ms > since)
    const expired = waiting.splice(0, firstValid < 0 ? waiting.length : firstValid)
    for (const { pending } of expired) {
      pending.reject(new NotTakenError('the database is too slow or unavailable'))
    }
    watch()
    if (expired.length > 0) onExpired()
  }

  return {
    get length() {
      return waiting.length
    },
    add: (pending) => {
      if (waiting.length >= steps_max) {
        pending.reject(new NotTakenError('too many steps are waiting for the database'))
        return
      }
      waiting.push({ pending, since_ms: performance.now() })
      watch()
    },
    take: (stepsMax) => {
      const batch: Pending[] = []
      const blocked: Waiting[] = []
      let examined = 0
      for (const one of waiting) {
        if (batch.length === stepsMax) break
        examined += 1
        const { identity } = one.pending.step
        if (identity !== undefined && identities.has(identity)) {
          blocked.push(one)
          continue
        }
        if (identity !== undefined) identities.add(identity)
        batch.push(one.pending)
      }
      waiting = [...blocked, ...waiting.slice(examined)]
      return batch
    },
    release: ({ step }) => {
      if (step.identity !== undefined) identities.delete(step.identity)
    },
  }
}
