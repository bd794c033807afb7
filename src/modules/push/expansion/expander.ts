/**
 * Expands due messages into recipients, step by step. After each step a message goes to the back of the
 * queue, so that messages to a few devices do not wait for a broadcast.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createDispatcher, type Dispatcher } from '../../../platform/dispatch/index.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { expandStep, OvertakenError, type Step } from './step.ts'
import { listExpandable, postpone } from './store.ts'

export type ExpanderOptions = {
  db: Database
  log: Log
  /** Called when there are new recipients to send to. */
  hint: () => void
  poll_ms: number
}

/** Number of concurrent steps that do not slow each other down in the database. */
const IN_FLIGHT_MAX = 2
/** Roughly the duration of a step in another process. */
const BUSY_PAUSE_MS = 100
const AFTER_FAILURE_MS = 1000
const AFTER_FAILURE_SECONDS = 30

export function createExpander(options: ExpanderOptions): Dispatcher {
  const { db, log, hint, poll_ms } = options
  return createDispatcher<string, undefined>({
    name: 'push expansion',
    log,
    claim: async ({ jobs, in_flight }) => {
      const ids = await listExpandable(db, jobs, [...in_flight.keys()])
      return { jobs: ids, is_more: ids.length === jobs }
    },
    groupsOf: (messageId) => [messageId],
    send: async (messageId, signal) => {
      try {
        const step = await db.transaction().execute(async (tx) => await expandStep(tx, messageId))
        await afterStep(step, hint, signal)
      } catch (error) {
        if (error instanceof OvertakenError) return
        log.error({ err: error, message_id: messageId }, 'expanding a push message failed')
        await wait(AFTER_FAILURE_MS, signal)
        await postpone(db, messageId, AFTER_FAILURE_SECONDS)
      }
    },
    // A step writes everything in its own transaction.
    settle: () => Promise.resolve(),
    in_flight_max: IN_FLIGHT_MAX,
    poll_ms,
  })
}

async function afterStep(
  step: Step | 'busy' | undefined,
  hint: () => void,
  signal: AbortSignal,
): Promise<void> {
  if (step === 'busy') await wait(BUSY_PAUSE_MS, signal)
  else if (step !== undefined && step.recipients > 0) hint()
}

const wait = async (ms: number, signal: AbortSignal): Promise<void> =>
  await pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
