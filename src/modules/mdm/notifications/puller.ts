/**
 * Fetches notifications, for installations that the provider cannot reach. What was applied is
 * acknowledged; what was not comes again by itself. While a batch is applied the next ones are fetched.
 */

import type { Log } from '../../../platform/log.ts'
import { waitFor } from '../../../platform/wait.ts'
import type { AndroidManagement, PulledMessage } from '../providers/port.ts'
import type { Notifications } from './service.ts'

export type Puller = {
  start(): void
  /** Fetches nothing more; what was fetched has so long to be applied, else it comes again. */
  stop(drainMs: number): Promise<void>
}

export type PullerOptions = {
  provider: Pick<AndroidManagement, 'pull' | 'acknowledge'>
  take: Notifications['take']
  /** Whether there is anything to listen to. */
  hasEnterprise: () => Promise<boolean>
  log: Log
  /** Ends early when the signal fires. Default: that of the system. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

const PULLED_TOGETHER_MAX = 500
const BATCHES_IN_FLIGHT_MAX = 3
/** Without an enterprise, it is looked so often whether there is one. */
const IDLE_MS = 5000
/** A provider that has nothing and does not wait with its answer is asked so often. */
const EMPTY_MS = 1000
const FAULT_MS = 1000
const FAULT_MAX_MS = 60_000
const JITTER = 0.2

export function createPuller(options: PullerOptions): Puller {
  const { provider, log, wait = waitFor } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const inFlight = new Set<Promise<void>>()
  let running: Promise<void> | undefined
  /** In a row, of fetching or of applying. */
  let faults = 0

  const backOff = async (): Promise<void> => {
    const ms = Math.min(FAULT_MAX_MS, FAULT_MS * 2 ** Math.min(faults - 1, 10))
    await wait(ms * (1 + JITTER * (2 * Math.random() - 1)), signal)
  }

  const handle = async (messages: readonly PulledMessage[]): Promise<void> => {
    const taken = await options.take(messages)
    const done = new Set(taken.flatMap(({ message_id, is_done }) => (is_done ? [message_id] : [])))
    const acks = messages.flatMap(({ message_id, ack_id }) =>
      done.has(message_id) ? [ack_id] : [],
    )
    if (acks.length === 0) {
      faults += 1
      return
    }
    const answer = await provider.acknowledge(acks)
    if (answer.ok) faults = 0
    // They come again and are known by then.
    else log.warn({ reason: answer.fault.message }, 'notifications were not acknowledged')
  }

  const handleLater = (messages: readonly PulledMessage[]): void => {
    const handling = handle(messages)
      .catch((error: unknown) => {
        faults += 1
        log.error({ err: error }, 'notifications were not applied; they come again')
      })
      .finally(() => inFlight.delete(handling))
    inFlight.add(handling)
  }

  const pullOnce = async (): Promise<void> => {
    if (!(await options.hasEnterprise())) {
      await wait(IDLE_MS, signal)
      return
    }
    const begun = performance.now()
    const answer = await provider.pull(PULLED_TOGETHER_MAX, signal)
    if (signal.aborted) return
    if (!answer.ok) {
      if (faults === 0)
        log.warn({ reason: answer.fault.message }, 'notifications cannot be fetched')
      faults += 1
      return
    }
    if (answer.value.length > 0) {
      handleLater(answer.value)
      return
    }
    faults = 0
    await wait(Math.max(0, EMPTY_MS - (performance.now() - begun)), signal)
  }

  const step = async (): Promise<void> => {
    if (faults > 0) {
      // What could not be applied is not fetched over and over again.
      await Promise.all(inFlight)
      if (faults > 0) await backOff()
    }
    if (signal.aborted) return
    if (inFlight.size >= BATCHES_IN_FLIGHT_MAX) await Promise.race(inFlight)
    else await pullOnce()
  }

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await step()
      } catch (error) {
        faults += 1
        log.error({ err: error }, 'notifications could not be fetched; tried again')
      }
    }
    await Promise.all(inFlight)
  }

  return {
    start: () => {
      running ??= run()
    },
    stop: async (drainMs) => {
      stopping.abort()
      const drained = new AbortController()
      await Promise.race([running, waitFor(drainMs, drained.signal)])
      drained.abort()
    },
  }
}
