/** Fraud detection: checks, phone intelligence, profiles, orders, cashiers, rules and reviews. */
import type { Accounts } from '../modules/accounts/index.ts'
import {
  cashierConsoleRoutes,
  cashierRoutes,
  createCashierReadings,
  sweepActions,
} from '../modules/cashier/index.ts'
import {
  type Checks,
  checkConsoleRoutes,
  checkRoutes,
  createCheckReading,
  createChecks,
  createDomainRegistration,
  createMailDns,
  expireChecks,
  sweepVelocity,
  type VelocityKey,
} from '../modules/checks/index.ts'
import { applyDirectoryChanges, sweepAppliedChanges } from '../modules/directory/index.ts'
import { listConsoleRoutes, sweepExpired } from '../modules/lists/index.ts'
import {
  createOrderReading,
  findExplainedOrders,
  orderConsoleRoutes,
  orderRoutes,
  rulesConsoleRoutes,
  sweepOrders,
  sweepRulesReplays,
} from '../modules/orders/index.ts'
import { personRoutes } from '../modules/person-data/index.ts'
import {
  createPhone,
  type Phone,
  PORTING_KIND,
  phoneRoutes,
  sweepReports,
} from '../modules/phone/index.ts'
import { profileRoutes, sweepCheckRisks } from '../modules/profiles/index.ts'
import { sweepOpinions } from '../modules/reputation/index.ts'
import {
  adoptReviews,
  caseRoutes,
  outcomeRoutes,
  reviewRoutes,
  sweepCases,
  sweepReviews,
} from '../modules/reviews/index.ts'
import type { App } from '../platform/http/app.ts'
import { createLookupCache, sweepEntries } from '../platform/lookup-cache/index.ts'
import type { Owner } from '../platform/owner.ts'
import type { Job } from '../platform/schedule.ts'
import { type StateKey, sweepStates } from '../platform/states/index.ts'
import { MINUTE_SECONDS } from '../platform/time-units.ts'
import { createPortabilityProvider, createSimSwapProvider } from './carriers.ts'
import { type Core, inMain, pick } from './core.ts'
import { fraudGauges } from './fraud-gauges.ts'
import {
  countedSweep,
  daysBefore,
  expirySweeps,
  job,
  type Part,
  retentionSweeps,
  type Sweep,
} from './part.ts'
import { personDeletionOf } from './person-deletion.ts'
import { createScoring, type Scoring, type ScoringDependencies } from './scoring.ts'

type Checking = { phone: Phone; checks: Checks }

export type FraudPart = Part & Scoring & Checking

export type FraudDependencies = Required<Omit<ScoringDependencies, 'pace'>> & { accounts: Accounts }

/** The console shows progress to the person who has just queued a replay. */
const REPLAYS_SECONDS = 1
/** Each organization is due once a day. */
const LEARNING_SECONDS = 10 * MINUTE_SECONDS
/** Shorter than the time in which the process must stop. */
const DRAIN_MAX_MS = 5000
/** Identities not seen for this long no longer affect scores; nor do look-ups that expired then. */
const FORGET_DAYS = 90
/** A cell that was unreachable for longer could repeat a change. */
const APPLIED_DAYS = 30
const DIRECTORY_SECONDS = 1
/** Only nodes of an earlier version leave reviews without a case. */
const CASES_SECONDS = 15
/** By then an opinion has decayed to a hundredth of its weight. */
const FORGET_OPINIONS_DAYS = 500
/** Other states describe an organization's customers and terminals, and are never deleted. */
const FORGETTABLE_STATES = ['device', 'ip']
/** Until then, people see that an entry has expired. */
const EXPIRED_DAYS = 30
/** Replay results are of interest until someone decides about the rules. */
const REPLAY_DAYS = 30

export function createFraudPart(core: Core, deps: FraudDependencies): FraudPart {
  const scoring = byOrganization(core, createScoring(core, deps))
  const checking = createChecking(core, deps, scoring)
  const { checks } = checking
  const { rules_learner, rules_replays, reputation_operator } = scoring
  return {
    ...scoring,
    ...checking,
    routes: (app) => {
      apiRoutes(app, core, { ...scoring, ...checking })
      consoleRoutes(app, core, { ...scoring, ...checking, accounts: deps.accounts })
    },
    jobs: [
      job('rules.replays', REPLAYS_SECONDS, (_now, signal) => rules_replays.run(signal)),
      job('rules.learning', LEARNING_SECONDS, (_now, signal) => rules_learner.run(signal)),
      job('reputation.refresh', 5 * MINUTE_SECONDS, (_now, signal) =>
        reputation_operator.refresh(signal),
      ),
      job('reviews.cases', CASES_SECONDS, async (_now, signal) => {
        const { db, newId } = core
        const adopting = { subjects: scoring.review_subjects, newId }
        while (!signal.aborted && (await adoptReviews(db, adopting)) > 0);
      }),
      ...directoryJobs(core),
    ],
    sweeps: (now) => sweepsOf(core, now),
    gauges: [fraudGauges(core)],
    close: async () => {
      await scoring.lane.drain()
      // Look-ups can take longer than a stopping process may; an interrupted one is repeated later.
      const timeIsUp = new Promise((resolve) => {
        setTimeout(resolve, DRAIN_MAX_MS).unref()
      })
      await Promise.race([checks.drain(), timeIsUp])
    },
  }
}

/**
 * With several processes, those requests that change the states of an organization are handed to the
 * same process, whose lane applies them without conflicts.
 */
function byOrganization({ siblings }: Core, scoring: Scoring): Scoring {
  const route = siblings?.route
  if (!route) return scoring
  const routed = <Request, Result>(
    name: string,
    run: (owner: Owner, request: Request) => Promise<Result>,
  ) => {
    const hand = route(name, (given: { owner: Owner; request: Request }) =>
      run(given.owner, given.request),
    )
    return async (owner: Owner, request: Request) => await hand(owner.org_id, { owner, request })
  }
  const { orders, profiles, cashier } = scoring
  return {
    ...scoring,
    orders: { ...orders, score: routed('order', orders.score) },
    profiles: { ...profiles, upsert: routed('profile', profiles.upsert) },
    cashier: { ...cashier, record: routed('action', cashier.record) },
  }
}

/** With one PostgreSQL there is nothing to apply. */
const directoryJobs = ({ directory, db }: Core): Job[] =>
  directory === db
    ? []
    : [
        job('directory.apply', DIRECTORY_SECONDS, async (_now, signal) => {
          while (!signal.aborted && (await applyDirectoryChanges(db, directory)) > 0);
        }),
      ]

function createChecking(
  core: Core,
  { billing, hint }: FraudDependencies,
  { reputation, lists, order_rules }: Scoring,
): Checking {
  const { directory, db, clock, newId, stateId, hash, log, metrics, config } = core
  const { domain_lists, ip_data, carriers } = core.reference()
  const timeoutMs = config.lookup_timeout_ms
  const cache = createLookupCache({ db: directory, clock, log, metrics, timeout_ms: timeoutMs })
  const phone = createPhone({
    db,
    clock,
    newId,
    hash,
    cache,
    reputation,
    opinions: core.directoryWriters.opinions,
    carriers,
    sim_swap: createSimSwapProvider(config, clock),
    porting: createPortabilityProvider(config),
  })
  const checks = createChecks({
    directory,
    db,
    clock,
    newId,
    stateId,
    log,
    hash,
    cache,
    phone,
    reputation,
    lists,
    rules: order_rules,
    billing,
    domain_lists,
    ip_data,
    lookupMail: createMailDns({ servers: config.dns_servers, timeoutMs }),
    lookupRegistration: config.rdap_enabled
      ? createDomainRegistration({
          bootstrapUrl: config.rdap_bootstrap_url,
          whoisHost: config.whois_server,
          timeoutMs,
          now: () => clock.now(),
        }).lookupRegistration
      : undefined,
    ...pick(
      config,
      'check_credits',
      'check_deadline_ms',
      'device_report_minutes',
      'credits_required',
    ),
    onCommitted: hint,
  })
  return { phone, checks }
}

const fieldLimits = ({ config }: Core) =>
  pick(config, 'text_max_chars', 'check_bulk_max', 'check_data_max_bytes')

function apiRoutes(app: App, core: Core, services: Scoring & Checking): void {
  const { clock, validators, config } = core
  const { checks, phone, profiles, orders, cashier } = services
  const field_limits = fieldLimits(core)
  const { end_user_address } = config
  checkRoutes(app, { checks, clock, validators, field_limits, end_user_address })
  phoneRoutes(app, phone, field_limits)
  profileRoutes(app, profiles, field_limits)
  orderRoutes(app, { orders, validators, field_limits })
  cashierRoutes(app, { cashier, field_limits })
}

function consoleRoutes(
  app: App,
  core: Core,
  services: Scoring & Checking & { accounts: Accounts },
): void {
  const { directory, db, clock, stateId } = core
  const { accounts, checks, phone, reviews, cases, order_rules, rules_learner, rules_replays } =
    services
  const check_reading = createCheckReading({ db })
  const field_limits = fieldLimits(core)
  checkConsoleRoutes(app, { checks, check_reading, phone, clock, field_limits })
  const members = accounts.listMembers
  const { calibration } = rules_learner
  orderConsoleRoutes(app, {
    order_reading: createOrderReading({ db, clock, stateId, members, calibration }),
  })
  rulesConsoleRoutes(app, { order_rules, rules_learner, rules_replays })
  const cashier_readings = createCashierReadings({
    directory,
    db,
    clock,
    stateId,
    findOrderId: async (handle, owner, name) => {
      const orders = await findExplainedOrders(handle, name, owner)
      return orders.find(({ order }) => order.request.external_order_id === name)?.order.id
    },
  })
  cashierConsoleRoutes(app, { cashier_readings })
  listConsoleRoutes(app, { lists: services.lists })
  reviewRoutes(app, { reviews })
  outcomeRoutes(app, { outcomes: services.outcomes, validators: core.validators })
  caseRoutes(app, { cases })
  personRoutes(app, { person_deletion: personDeletionOf(core, services), clock })
}

function sweepsOf(core: Core, now: Date): Sweep[] {
  const { directory, db, config } = core
  const forgotten = daysBefore(now, FORGET_DAYS)
  let velocityCursor: VelocityKey | undefined
  let stateCursor: StateKey | undefined
  return [
    ...inMain(core, [
      // A ported number stays ported, long after the answer expired.
      countedSweep('look-ups', () => sweepEntries(directory, forgotten, [PORTING_KIND])),
      countedSweep('applied directory changes', () =>
        sweepAppliedChanges(directory, daysBefore(now, APPLIED_DAYS)),
      ),
      countedSweep('opinions', () =>
        sweepOpinions(directory, daysBefore(now, FORGET_OPINIONS_DAYS)),
      ),
    ]),
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
    countedSweep('checks of devices', () => sweepCheckRisks(db, forgotten)),
    countedSweep('list entries', () => sweepExpired(db, daysBefore(now, EXPIRED_DAYS))),
    countedSweep('rules replays', () => sweepRulesReplays(db, daysBefore(now, REPLAY_DAYS))),
    ...expirySweeps(now, config.check_retention_days, 'checks', (before) =>
      expireChecks(db, before),
    ),
    ...retentionSweeps(now, config.check_retention_days, {
      'outcome reports': (before) => sweepReports(db, before),
    }),
    ...retentionSweeps(now, config.order_retention_days, {
      orders: (before) => sweepOrders(db, before),
      'cashier actions': (before) => sweepActions(db, before),
      reviews: (before) => sweepReviews(db, before),
      cases: (before) => sweepCases(db, before),
    }),
  ]
}
