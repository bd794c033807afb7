/**
 * Writes messages about what is due, and sends them. A channel has one message under way, all failing channels
 * together have half of the capacity, and an organization a quarter, so a channel that hangs delays no other.
 */
import { createDispatcher, type Dispatcher, type Sent } from '../../platform/dispatch/index.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/db.ts'
import {
  type ClaimedMessage,
  claimMessages,
  releaseMessages,
  type SettledMessage,
  settleMessages,
} from './queue.store.ts'
import { routeDue } from './router.ts'
import { type Attempt, nextDelayMs } from './sending/attempt.ts'
import { DEADLINE_MS, type SendingDependencies, sendMessage } from './sending/send.ts'

export type NotificationDispatchOptions = SendingDependencies & {
  db: Database
  newId: NewId
  log: Log
  poll_ms: number
  in_flight_max?: number
  /** Called with the outcome of each attempt. */
  observe?: (verdict: Attempt['verdict']) => void
}

/** Time after the deadline of an attempt that is left for writing its outcome. */
export const LEASE_MS = DEADLINE_MS + 45_000
const IN_FLIGHT_MAX = 64
const FAILING = 'failing'

export function createNotificationDispatcher(options: NotificationDispatchOptions): Dispatcher {
  const { db, newId, clock, in_flight_max = IN_FLIGHT_MAX } = options
  const perOrgMax = Math.ceil(in_flight_max / 4)
  return createDispatcher<ClaimedMessage, Attempt>({
    name: 'notifications',
    log: options.log,
    claim: async ({ jobs, in_flight }) => {
      const isMore = await routeDue(db, newId)
      const full = [...in_flight].filter(([name, count]) => name !== FAILING && count >= perOrgMax)
      const messages = await claimMessages(db, {
        lease_id: newId(clock.now()),
        lease_ms: LEASE_MS,
        messages_max: Math.min(jobs, perOrgMax),
        failing_max: Math.max(0, Math.ceil(in_flight_max / 2) - (in_flight.get(FAILING) ?? 0)),
        full_orgs: full.map(([org]) => org),
      })
      return { jobs: messages, is_more: isMore || messages.length > 0 }
    },
    groupsOf: ({ org_id, was_failing }) => (was_failing ? [org_id, FAILING] : [org_id]),
    send: (message, signal) => sendMessage(options, message, signal),
    settle: (sent) => settle(options, sent),
    in_flight_max,
    poll_ms: options.poll_ms,
  })
}

async function settle(
  { db, observe }: NotificationDispatchOptions,
  sent: readonly Sent<ClaimedMessage, Attempt>[],
): Promise<void> {
  const stopped = sent.filter(({ outcome }) => outcome.verdict === 'stopped')
  const done = sent.filter(({ outcome }) => outcome.verdict !== 'stopped')
  await settleMessages(
    db,
    done.map(({ job, outcome }) => settlementOf(job, outcome, Math.random())),
  )
  await releaseMessages(
    db,
    stopped.map(({ job }) => job),
  )
  for (const { outcome } of sent) observe?.(outcome.verdict)
}

export function settlementOf(
  message: Pick<ClaimedMessage, 'org_id' | 'channel_id' | 'id' | 'lease_id' | 'attempts'>,
  attempt: Attempt,
  random: number,
): SettledMessage {
  const { org_id, channel_id, id, lease_id, attempts } = message
  const { response_status, response_body, error, latency_ms } = attempt
  const delay_ms = nextDelayMs(attempt, attempts, random)
  const ended = attempt.verdict === 'accepted' ? 'succeeded' : 'failed'
  return {
    org_id,
    channel_id,
    id,
    lease_id,
    status: delay_ms === null ? ended : 'pending',
    delay_ms,
    response_status,
    response_body,
    error,
    latency_ms,
  }
}
