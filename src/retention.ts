/**
 * What is deleted, and when. Every table that grows is named here; each is swept on its own, a
 * bounded number of rows at a time, so that no statement holds up others and no failure spares the
 * rest.
 */
import type { Config } from './config.ts'
import { sweepExpired, sweepInvitations } from './modules/accounts/index.ts'
import { sweepActions } from './modules/cashier/index.ts'
import { sweepChecks, sweepVelocity, type VelocityKey } from './modules/checks/index.ts'
import { sweepEvents } from './modules/events/index.ts'
import { RETRY_MINUTES, sweepReceipts } from './modules/intake/index.ts'
import {
  sweepCommands,
  sweepDeviceCounts,
  sweepDevices,
  sweepEnrollmentTokens,
  sweepFormerNames,
  sweepGroupCommands,
  sweepNotifications,
  sweepSignups,
} from './modules/mdm/index.ts'
import { sweepOrders, sweepRulesReplays } from './modules/orders/index.ts'
import { PORTING_KIND, sweepReports } from './modules/phone/index.ts'
import { sweepCheckRisks } from './modules/profiles/index.ts'
import {
  sweepDeletedApplications,
  sweepIdempotencyKeys,
  sweepIdentityKeys,
  sweepIdentityUses,
  sweepPushMessages,
  sweepSubscriptions,
} from './modules/push/index.ts'
import { sweepOpinions } from './modules/reputation/index.ts'
import { sweepReviews } from './modules/reviews/index.ts'
import { sweepSessions } from './modules/rum/index.ts'
import { sweepDeletedEndpoints, sweepDeliveries } from './modules/webhooks/index.ts'
import type { Log } from './platform/log.ts'
import { sweepEntries } from './platform/lookup-cache/index.ts'
import type { Database } from './platform/postgres/db.ts'
import { type StateKey, sweepStates } from './platform/states/index.ts'

type RetentionConfig = Pick<
  Config,
  | 'check_retention_days'
  | 'delivery_retention_days'
  | 'event_retention_days'
  | 'mdm_retention_days'
  | 'order_retention_days'
  | 'push_identity_key_days'
  | 'push_retention_days'
>

type Sweep = {
  name: string
  /** @returns whether there may be more */
  portion: () => Promise<boolean>
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Identities that were not seen for so long count for nothing; so do answers that expired then. */
const FORGET_DAYS = 90
/** What was said about an identity has faded to a hundredth by then. */
const FORGET_OPINIONS_DAYS = 500
/** What is remembered of the others is the organisation's knowledge of its customers and tills. */
const FORGETTABLE_STATES = ['device', 'ip']
/** The provider repeats a notification for no longer than a week. */
const REPEATED_DAYS = 8
const SIGNUP_DAYS = 7
/** Shown as expired for so long. */
const INVITATION_DAYS = 30
/** A device that was enrolled with it at the last moment may report much later. */
const TOKEN_DAYS = 90
/** What would have changed is of interest until it was decided about. */
const REPLAY_DAYS = 30
/** The first answer under an idempotency key is told again for so long (OP-33). */
const IDEMPOTENCY_DAYS = 7
const PAUSE_MS = 20

export async function sweepAll(
  db: Database,
  config: RetentionConfig,
  log: Log,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  for (const sweep of sweepsOf(db, config, now)) {
    try {
      while (!signal.aborted && (await sweep.portion())) await pause()
    } catch (error) {
      log.error({ err: error, sweep: sweep.name }, 'a sweep failed; the next run tries again')
    }
  }
}

function sweepsOf(db: Database, config: RetentionConfig, now: Date): Sweep[] {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const counted = (name: string, delete_: () => Promise<number>): Sweep => ({
    name,
    portion: async () => (await delete_()) > 0,
  })
  const forgotten = daysAgo(FORGET_DAYS)
  let velocityCursor: VelocityKey | undefined
  let stateCursor: StateKey | undefined
  const sweeps: Sweep[] = [
    {
      name: 'sessions',
      portion: async () => {
        await sweepExpired(db, now)
        return false
      },
    },
    counted('invitations', () => sweepInvitations(db, daysAgo(INVITATION_DAYS))),
    counted('events', () => sweepEvents(db, daysAgo(config.event_retention_days))),
    counted('webhook deliveries', () =>
      sweepDeliveries(db, daysAgo(config.delivery_retention_days)),
    ),
    counted('deleted webhook endpoints', () => sweepDeletedEndpoints(db)),
    // A number that was once taken along stays so, long after the answer expired.
    counted('receipts', () =>
      sweepReceipts(db, new Date(now.getTime() - RETRY_MINUTES * MINUTE_MS)),
    ),
    counted('RUM sessions', () => sweepSessions(db, now)),
    counted('look-ups', () => sweepEntries(db, forgotten, [PORTING_KIND])),
    counted('opinions', () => sweepOpinions(db, daysAgo(FORGET_OPINIONS_DAYS))),
    {
      name: 'velocity',
      portion: async () => {
        velocityCursor = await sweepVelocity(db, forgotten, velocityCursor)
        return velocityCursor !== undefined
      },
    },
    {
      name: 'states',
      portion: async () => {
        stateCursor = await sweepStates(db, FORGETTABLE_STATES, forgotten, stateCursor)
        return stateCursor !== undefined
      },
    },
    counted('checks of devices', () => sweepCheckRisks(db, forgotten)),
    counted('MDM notifications', () => sweepNotifications(db, daysAgo(REPEATED_DAYS))),
    counted('MDM sign-ups', () => sweepSignups(db, daysAgo(SIGNUP_DAYS))),
    counted('MDM enrolment tokens', () => sweepEnrollmentTokens(db, daysAgo(TOKEN_DAYS))),
    counted('MDM device counts', () => sweepDeviceCounts(db)),
    counted('identity assertions', () => sweepIdentityUses(db, now)),
    // What the last of them signed has expired a day later.
    counted('identity keys', () =>
      sweepIdentityKeys(db, daysAgo(config.push_identity_key_days + 1)),
    ),
    counted('idempotency keys', () => sweepIdempotencyKeys(db, daysAgo(IDEMPOTENCY_DAYS))),
    counted('deleted applications', () => sweepDeletedApplications(db)),
    counted('rules replays', () => sweepRulesReplays(db, daysAgo(REPLAY_DAYS))),
  ]
  if (config.push_retention_days > 0) {
    const kept = daysAgo(config.push_retention_days)
    sweeps.push(
      counted('push messages', () => sweepPushMessages(db, kept)),
      counted('push subscriptions', () => sweepSubscriptions(db, kept)),
    )
  }
  if (config.mdm_retention_days > 0) {
    const kept = daysAgo(config.mdm_retention_days)
    sweeps.push(
      counted('MDM commands', () => sweepCommands(db, kept)),
      counted('MDM group commands', () => sweepGroupCommands(db, kept)),
      counted('MDM devices', () => sweepDevices(db, kept)),
      counted('MDM former names', () => sweepFormerNames(db, kept)),
    )
  }
  if (config.check_retention_days > 0) {
    const kept = daysAgo(config.check_retention_days)
    sweeps.push(
      counted('checks', () => sweepChecks(db, kept)),
      counted('outcome reports', () => sweepReports(db, kept)),
    )
  }
  if (config.order_retention_days > 0) {
    const kept = daysAgo(config.order_retention_days)
    sweeps.push(
      counted('orders', () => sweepOrders(db, kept)),
      counted('cashier actions', () => sweepActions(db, kept)),
      counted('reviews', () => sweepReviews(db, kept)),
    )
  }
  return sweeps
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
