/**
 * Steps that wait to be taken into a batch, in the order in which they came. When the database is
 * away or slow they are refused rather than kept for ever: neither the queue nor the time in it
 * grows without end, and a step that was refused here has changed nothing.
 */
import type { Pending } from './batch.ts'

export type Queue = {
  readonly length: number
  add(pending: Pending): void
  /** The next steps, without those whose identity is under way. */
  take(stepsMax: number): Pending[]
  /** What waits for its identity may be taken now. */
  release(pending: Pending): void
}

export type QueueOptions = {
  steps_max: number
  wait_max_ms: number
  /** Told when steps were refused. */
  onExpired: () => void
}

/** The step was never applied: nothing of it is stored, and it may be sent again at any time. */
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
    const kept = waiting.findIndex(({ since_ms }) => since_ms > since)
    const expired = waiting.splice(0, kept < 0 ? waiting.length : kept)
    for (const { pending } of expired) {
      pending.reject(new NotTakenError('the database did not keep up in time'))
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
        pending.reject(new NotTakenError('too many steps wait for the database'))
        return
      }
      waiting.push({ pending, since_ms: performance.now() })
      watch()
    },
    take: (stepsMax) => {
      const batch: Pending[] = []
      const blocked: Waiting[] = []
      let looked = 0
      for (const one of waiting) {
        if (batch.length === stepsMax) break
        looked += 1
        const { identity } = one.pending.step
        if (identity !== undefined && identities.has(identity)) {
          blocked.push(one)
          continue
        }
        if (identity !== undefined) identities.add(identity)
        batch.push(one.pending)
      }
      waiting = [...blocked, ...waiting.slice(looked)]
      return batch
    },
    release: ({ step }) => {
      if (step.identity !== undefined) identities.delete(step.identity)
    },
  }
}
