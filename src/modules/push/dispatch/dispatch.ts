/**
 * Sends notifications that are due. No app holds up the others: each has at most three quarters of the
 * places of a process, those with the fewest go first, and what a provider says to one stops only that one.
 */
import type { Clock } from '../../../platform/clock.ts'
import { createDispatcher, type Dispatcher } from '../../../platform/dispatch/index.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { UNOPENED } from '../credentials/credential.ts'
import type { CredentialKeeper } from '../credentials/keeper.ts'
import { type PushSenders, sendBy } from '../providers/senders.ts'
import { createClaim, groupOf } from './claim/claim.ts'
import { createStock } from './claim/stock.ts'
import { isPending } from './claim/store.ts'
import type { Verdict } from './effects.ts'
import type { Job, Outcome } from './job.ts'
import { messageOf } from './sending.ts'
import { settle } from './settling/settle.ts'

export type PushDispatchOptions = {
  db: Database
  keeper: CredentialKeeper
  senders: PushSenders
  clock: Clock
  newId: NewId
  log: Log
  /** Of the senders. */
  deadline_ms: number
  in_flight_max: number
  poll_ms: number
  /**
   * Told the outcome of each attempt; `repeated`: before the attempt, that its recipient may have it
   * already, because a process that had taken it is gone.
   */
  observe?: (outcome: Verdict | 'repeated') => void
}

/** Of the places of a process, for one app at one provider. */
const SHARE = 3 / 4
/** After a pause, until something is accepted. */
const PROBING_MAX = 20
const STOCK_MIN = 100
/** As if it had never been claimed. */
const LEFT: Outcome = { kind: 'retry', reason: 'stopped', is_ambiguous: false }

export function createPushDispatcher(options: PushDispatchOptions): Dispatcher {
  const { db, log, in_flight_max } = options
  const stock_max = Math.max(STOCK_MIN, in_flight_max)
  const channel_max = Math.ceil(in_flight_max * SHARE)
  const probing_max = Math.min(PROBING_MAX, channel_max)
  const stock = createStock({
    refill: createClaim({
      ...options,
      channel_max: channel_max + Math.ceil(stock_max * SHARE),
      probing_max,
    }),
    giveBack: async (jobs) => {
      await settle(
        db,
        jobs.map((job) => ({ job, outcome: LEFT })),
      )
    },
    hint: () => dispatcher.hint(),
    log,
    stock_max,
    sharesOf: ({ is_probing }) => (is_probing ? probing_max : channel_max),
  })
  const dispatcher = createDispatcher<Job, Outcome>({
    name: 'push',
    log,
    claim: stock.claim,
    groupsOf: ({ batch }) => batch.channel.groups,
    send: (job, signal) => send(options, job, signal),
    settle: async (sent) => {
      const { verdicts, news } = await settle(db, sent)
      for (const verdict of verdicts) options.observe?.(verdict)
      for (const ref of [...news.pauses, ...news.rejected]) stock.drop(groupOf(ref))
      for (const { error: about, ...ref } of news.rejected) {
        log.warn({ ...ref, about }, 'a provider does not accept a push credential')
      }
    },
    in_flight_max,
    poll_ms: options.poll_ms,
  })
  return {
    ...dispatcher,
    stop: async (drainMs) => {
      await dispatcher.stop(drainMs)
      await stock.close()
    },
  }
}

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
    if (!(await isStillToBeSent(db, job))) return LEFT
    observe?.('repeated')
  }
  return await sendBy(senders, credential, message, { signal })
}

/**
 * Whoever lost the lease may still be there, and have told what became of it since it was claimed again:
 * what they told must not be undone by a second notification.
 */
async function isStillToBeSent(db: Database, { batch, subscription_id }: Job): Promise<boolean> {
  const isOpen = await isPending(db, batch, subscription_id).catch(() => false)
  return isOpen && performance.now() < batch.send_before_ms
}
