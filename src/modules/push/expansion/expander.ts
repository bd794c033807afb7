/**
 * Expands the messages whose time has come, step by step: after each one a message goes to the back of
 * the queue, so that those to a few do not wait for one to everybody.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createDispatcher, type Dispatcher } from '../../../platform/dispatch/index.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { expandStep, OvertakenError, type Step } from './step.ts'
import { listExpandable, putOff } from './store.ts'

export type ExpanderOptions = {
  db: Database
  log: Log
  /** There are recipients to be sent to. */
  hint: () => void
  poll_ms: number
}

/** As many steps as a database does side by side without the one holding up the other. */
const IN_FLIGHT_MAX = 2
/** About as long as the step of the other process takes. */
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
        await takeNote(step, hint, signal)
      } catch (error) {
        if (error instanceof OvertakenError) return
        log.error({ err: error, message_id: messageId }, 'a push message could not be expanded')
        await rest(AFTER_FAILURE_MS, signal)
        await putOff(db, messageId, AFTER_FAILURE_SECONDS)
      }
    },
    // A step has written everything itself.
    settle: () => Promise.resolve(),
    in_flight_max: IN_FLIGHT_MAX,
    poll_ms,
  })
}

async function takeNote(
  step: Step | 'busy' | undefined,
  hint: () => void,
  signal: AbortSignal,
): Promise<void> {
  if (step === 'busy') await rest(BUSY_PAUSE_MS, signal)
  else if (step !== undefined && step.recipients > 0) hint()
}

const rest = async (ms: number, signal: AbortSignal): Promise<void> =>
  await pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
