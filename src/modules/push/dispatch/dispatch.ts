/**
 * Sends due notifications. No app can hold up the others: each gets at most three quarters of the capacity
 * of a process, those with the fewest notifications under way go first, and a rejection or rate limit by a
 * provider stops only the app that it concerns.
 */
import type { Clock } from '../../../platform/clock.ts'
import { createDispatcher, type Dispatcher } from '../../../platform/dispatch/index.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { type DispatchSpan, type Tracing, traced } from '../../../platform/tracing/index.ts'
import { UNOPENED } from '../credentials/credential.ts'
import type { CredentialCache } from '../credentials/credential-cache.ts'
import { type PushSenders, sendBy } from '../providers/senders.ts'
import { createClaim, groupOf } from './claim/claim.ts'
import { createPrefetch } from './claim/prefetch.ts'
import { isPending } from './claim/store.ts'
import type { Verdict } from './effects.ts'
import type { Job, Outcome } from './job.ts'
import { messageOf } from './provider-message.ts'
import { settle } from './settling/settle.ts'

export type PushDispatchOptions = {
  db: Database
  credentialCache: CredentialCache
  senders: PushSenders
  clock: Clock
  newId: NewId
  log: Log
  /** Deadline of the senders. */
  deadline_ms: number
  in_flight_max: number
  poll_ms: number
  tracing?: Tracing | undefined
  /**
   * Called with the outcome of each attempt, and with `repeated` before an attempt whose recipient may
   * already have the notification, because another process lost its lease.
   */
  observe?: (outcome: Verdict | 'repeated') => void
}

/** Share of the capacity of a process for one app and provider. */
const SHARE = 3 / 4
/** Limit for an app and provider after a pause, until something is accepted. */
const PROBING_MAX = 20
const PREFETCH_MIN = 100
/** Undoes the claim of a recipient. */
const UNSENT: Outcome = { kind: 'retry', reason: 'stopped', is_ambiguous: false }

export function createPushDispatcher(options: PushDispatchOptions): Dispatcher {
  const { db, log, in_flight_max } = options
  const prefetch_max = Math.max(PREFETCH_MIN, in_flight_max)
  const channel_max = Math.ceil(in_flight_max * SHARE)
  const probing_max = Math.min(PROBING_MAX, channel_max)
  const prefetch = createPrefetch({
    refill: createClaim({
      ...options,
      channel_max: channel_max + Math.ceil(prefetch_max * SHARE),
      probing_max,
    }),
    release: async (jobs) => {
      const unsent = jobs.map((job) => ({ job, outcome: UNSENT }))
      await settle(db, unsent)
    },
    hint: () => dispatcher.hint(),
    log,
    prefetch_max,
    shareOf: ({ is_probing }) => (is_probing ? probing_max : channel_max),
  })
  const dispatcher = createDispatcher<Job, Outcome>({
    name: 'push',
    log,
    claim: prefetch.claim,
    groupsOf: ({ batch }) => batch.channel.groups,
    send: traced(options.tracing, (job, signal) => send(options, job, signal), spanOf),
    settle: async (sent) => {
      const { verdicts, changes } = await settle(db, sent)
      for (const verdict of verdicts) options.observe?.(verdict)
      for (const ref of [...changes.pauses, ...changes.rejected]) prefetch.drop(groupOf(ref))
      for (const { error: about, ...ref } of changes.rejected) {
        log.warn({ ...ref, about }, 'push credential rejected by its provider')
      }
    },
    in_flight_max,
    poll_ms: options.poll_ms,
  })
  return {
    ...dispatcher,
    stop: async (drainMs) => {
      await dispatcher.stop(drainMs)
      await prefetch.close()
    },
  }
}

const spanOf = ({ batch, subscription_id, attempts }: Job, outcome: Outcome): DispatchSpan => ({
  name: 'push notification',
  attributes: {
    'vigil.application_id': batch.channel.application_id,
    'vigil.provider': batch.channel.provider,
    'vigil.subscription_id': subscription_id,
    'vigil.attempts': attempts + 1,
    'vigil.outcome': outcome.kind,
  },
  is_error: outcome.kind !== 'accepted',
})

async function send(
  { db, senders, clock, observe }: PushDispatchOptions,
  job: Job,
  signal: AbortSignal,
): Promise<Outcome> {
  const message = messageOf(job, clock.now())
  if (typeof message === 'string') return { kind: 'not_sent', reason: message }
  const { credential } = job.batch.channel
  if (!credential) return UNOPENED
  if (job.batch.is_repeated) {
    if (!(await isStillToBeSent(db, job))) return UNSENT
    observe?.('repeated')
  }
  return await sendBy(senders, credential, message, { signal })
}

/**
 * The process that lost the lease may still be running and have written the outcome in the meantime. Then
 * a second notification must not be sent.
 */
async function isStillToBeSent(db: Database, { batch, subscription_id }: Job): Promise<boolean> {
  const isOpen = await isPending(db, batch, subscription_id).catch(() => false)
  return isOpen && performance.now() < batch.send_before_ms
}
