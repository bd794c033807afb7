/**
 * Pulls notifications, for installations that the provider cannot reach. Applied ones are acknowledged,
 * and the provider sends all others again. While a batch is applied, the next ones are pulled; messages
 * that were put off hold up no other ones.
 */
import type { Log } from '../../../platform/log.ts'
import { waitFor } from '../../../platform/wait.ts'
import type { AndroidManagement, PulledMessage } from '../providers/port.ts'
import type { TakenMessage } from './queue.ts'
import type { Notifications } from './service.ts'

export type Puller = {
  start(): void
  /** Stops pulling, and waits for at most `drainMs` until the pulled notifications are applied. */
  stop(drainMs: number): Promise<void>
}

export type PullerOptions = {
  provider: Pick<AndroidManagement, 'pull' | 'acknowledge' | 'modifyAckDeadline'>
  take: Notifications['take']
  /** Without an enterprise there are no notifications. */
  hasEnterprise: () => Promise<boolean>
  log: Log
  /** Ends early when the signal fires. Default: timers of the system. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Interval at which the acknowledgment deadlines of unfinished messages are extended. */
  extend_every_ms?: number
}

const PULLED_TOGETHER_MAX = 500
const BATCHES_IN_FLIGHT_MAX = 3
/** Interval of the checks for a first enterprise. */
const IDLE_MS = 5000
/** Interval of pulls from a provider that returns empty responses without waiting. */
const EMPTY_MS = 1000
const FAULT_MS = 1000
const FAULT_MAX_MS = 60_000
const JITTER = 0.2
/** A subscription of the operator may have a deadline of only ten seconds. */
const EXTEND_EVERY_MS = 5000
/** If the process is killed, its messages are delivered again after at most this time. */
const EXTENDED_S = 30
/** Delay of messages that could not be applied; without it, they would be pulled in a tight loop. */
const AGAIN_S = 10
/** The ids of a request must not exceed 512 KiB (https://cloud.google.com/pubsub/quotas). */
const ACK_IDS_MAX = 1000

export function createPuller(options: PullerOptions): Puller {
  const { provider, log, wait = waitFor } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const inFlight = new Set<Promise<void>>()
  /** Ack ids of messages that are being applied or were put off. */
  const unfinished = new Set<string>()
  let running: Promise<void> | undefined
  /** Consecutive faults of pulling or applying. */
  let faults = 0

  const backOff = async (): Promise<void> => {
    const ms = Math.min(FAULT_MAX_MS, FAULT_MS * 2 ** Math.min(faults - 1, 10))
    await wait(ms * (1 + JITTER * (2 * Math.random() - 1)), signal)
  }

  const setDeadline = async (ackIds: readonly string[], seconds: number): Promise<void> => {
    for (let start = 0; start < ackIds.length; start += ACK_IDS_MAX) {
      const some = ackIds.slice(start, start + ACK_IDS_MAX)
      const answer = await provider.modifyAckDeadline(some, seconds)
      // They are sent again after their previous deadline.
      if (!answer.ok) log.debug({ reason: answer.fault.message }, 'cannot change a deadline')
    }
  }

  /** @returns whether any message is done */
  const finish = async (
    messages: readonly PulledMessage[],
    taken: readonly TakenMessage[],
  ): Promise<boolean> => {
    const results = new Map(taken.map((each) => [each.message_id, each]))
    const acks: string[] = []
    const again: string[] = []
    for (const { message_id, ack_id } of messages) {
      const result = results.get(message_id)
      if (!result) continue
      unfinished.delete(ack_id)
      if (result.is_done) acks.push(ack_id)
      else if (!result.is_faulty) again.push(ack_id)
    }
    await setDeadline(again, AGAIN_S)
    if (acks.length === 0) return false
    const answer = await provider.acknowledge(acks)
    if (answer.ok) faults = 0
    // They are sent again, and are known as applied then.
    else log.warn({ reason: answer.fault.message }, 'cannot acknowledge notifications')
    return true
  }

  const handle = async (messages: readonly PulledMessage[]): Promise<void> => {
    for (const { ack_id } of messages) unfinished.add(ack_id)
    const taken = await options.take(messages)
    const putOff = taken.flatMap(({ later }) => later ?? [])
    if (putOff.length > 0) {
      void Promise.all(putOff)
        .then(async (results) => await finish(messages, results))
        .catch(fail)
    }
    const settled = taken.filter(({ later }) => later === undefined)
    if (settled.length > 0 && !(await finish(messages, settled))) faults += 1
  }

  const fail = (error: unknown): void => {
    faults += 1
    log.error({ err: error }, 'cannot apply notifications; the provider will send them again')
  }

  const handleLater = (messages: readonly PulledMessage[]): void => {
    const handling = handle(messages)
      .catch((error: unknown) => {
        for (const { ack_id } of messages) unfinished.delete(ack_id)
        fail(error)
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
        log.warn({ reason: answer.fault.message }, 'cannot pull notifications; retrying')
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
      // Without this wait, notifications that cannot be applied would be pulled in a tight loop.
      await Promise.all(inFlight)
      if (faults > 0) await backOff()
    }
    if (signal.aborted) return
    if (inFlight.size >= BATCHES_IN_FLIGHT_MAX) await Promise.race(inFlight)
    else await pullOnce()
  }

  const run = async (): Promise<void> => {
    const extending = setInterval(
      () => void setDeadline([...unfinished], EXTENDED_S),
      options.extend_every_ms ?? EXTEND_EVERY_MS,
    )
    while (!signal.aborted) {
      try {
        await step()
      } catch (error) {
        faults += 1
        log.error({ err: error }, 'cannot pull notifications; retrying')
      }
    }
    clearInterval(extending)
    await Promise.all(inFlight)
    // Another process can apply what was put off here.
    await setDeadline([...unfinished], 0)
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
