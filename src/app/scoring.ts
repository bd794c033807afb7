/**
 * The scoring of orders and cashier actions with its states. It is separate from the rest of fraud
 * detection because some commands need only this, which loads no reference data.
 */
import type { Billing } from '../modules/billing/index.ts'
import {
  type Cashier,
  createCashier,
  createCashierReviews,
  ruledActions,
} from '../modules/cashier/index.ts'
import { mailboxOf, ruledChecks } from '../modules/checks/index.ts'
import { createLists, type Lists } from '../modules/lists/index.ts'
import {
  createCountries,
  createOrderReviews,
  createOrderRules,
  createOrders,
  createRulesLearner,
  createRulesReplays,
  type OrderRules,
  type Orders,
  type RulesLearner,
  type RulesReplays,
  soldOrderReader,
} from '../modules/orders/index.ts'
import { createProfiles, type Profiles } from '../modules/profiles/index.ts'
import {
  createReputation,
  createReputationOperator,
  type ReputationOperator,
  type ReputationStore,
} from '../modules/reputation/index.ts'
import {
  type Cases,
  createCases,
  createOutcomes,
  createReviews,
  type Outcomes,
  type ReviewSubjects,
  type Reviews,
} from '../modules/reviews/index.ts'
import { createLocalHours } from '../platform/local-time.ts'
import { createLane, type Lane, type LaneOptions } from '../platform/states/index.ts'
import { type Core, pick } from './core.ts'

export type Scoring = {
  reputation: ReputationStore
  reputation_operator: ReputationOperator
  /** Applies orders, profiles, cashier actions and decisions one after another. */
  lane: Lane
  lists: Lists
  profiles: Profiles
  orders: Orders
  order_rules: OrderRules
  rules_learner: RulesLearner
  rules_replays: RulesReplays
  cashier: Cashier
  reviews: Reviews
  outcomes: Outcomes
  cases: Cases
  review_subjects: ReviewSubjects
}

export type ScoringDependencies = {
  billing: Billing
  /** Called after events were committed. */
  hint?: () => void
  /** For work that no client waits for. */
  pace?: Pick<LaneOptions, 'batch_steps_max' | 'waiting_max_ms'>
}

export function createScoring(core: Core, { billing, hint, pace }: ScoringDependencies): Scoring {
  const { directory, directoryWriters, db, clock, newId, stateId, hash, log, config } = core
  const sharing = pick(config, 'reputation_age_days', 'reputation_requests', 'reputation_voices')
  const reputation = createReputation({ directory, db, hash, sharing })
  const lane = createLane({
    db,
    states_in_memory_max: config.states_in_memory,
    ...pace,
    ...(hint && { onCommitted: hint }),
  })
  const hours = createLocalHours(config.time_zone)
  const { audit } = directoryWriters
  const ruled = { check: ruledChecks, cashier_action: ruledActions }
  const order_rules = createOrderRules({ directory, db, clock, newId, audit, log, ruled })
  const countries = createCountries()
  const lists = createLists({
    directory,
    db,
    clock,
    newId,
    hash,
    audit: directoryWriters.audit,
    forms: { mailbox: mailboxOf, country: countries.codeOf },
  })
  const reviewing = createReviewing(core, { lane, reputation })
  return {
    reputation,
    reputation_operator: createReputationOperator({
      directory,
      db,
      cell: core.cell,
      clock,
      newId,
      reputation,
      sharing,
    }),
    lane,
    lists,
    profiles: createProfiles({
      lane,
      clock,
      newId,
      stateId,
      reputation,
      devicesOf: async (owner) => (await order_rules.active(owner)).parameters.devices,
    }),
    orders: createOrders({
      db,
      lane,
      clock,
      newId,
      stateId,
      reputation,
      billing,
      hours,
      rules: order_rules,
      lists,
      ruled,
      ...pick(config, 'credits_required'),
    }),
    order_rules,
    rules_learner: createRulesLearner({
      db,
      clock,
      newId,
      log,
      rules: order_rules,
      audit: directoryWriters.audit,
      ...pick(config, 'rules_learn_frauds'),
    }),
    rules_replays: createRulesReplays({ directory, db, clock, newId, stateId, log, ruled }),
    cashier: createCashier({
      db,
      lane,
      clock,
      newId,
      stateId,
      soldOrders: soldOrderReader,
      lists,
      rules: order_rules,
      localHour: (time) => hours.hourAt(time, undefined, undefined),
    }),
    ...reviewing,
  }
}

/** Reviews, their cases, and outcomes that are reported later. */
function createReviewing(
  { directory, directoryWriters, db, clock, newId, stateId }: Core,
  { lane, reputation }: Pick<Scoring, 'lane' | 'reputation'>,
): Pick<Scoring, 'reviews' | 'outcomes' | 'cases' | 'review_subjects'> {
  const { audit, opinions } = directoryWriters
  const subjects = {
    order: createOrderReviews({ db, newId, stateId, reputation }),
    cashier_action: createCashierReviews({ db, newId, stateId }),
  }
  const reviews = createReviews({
    directory,
    db,
    lane,
    newId,
    clock,
    subjects,
    opinions,
  })
  return {
    reviews,
    outcomes: createOutcomes({
      db,
      lane,
      clock,
      newId,
      orders: subjects.order,
      opinions,
      audit,
    }),
    cases: createCases({ directory, db, clock, newId, reviews, audit }),
    review_subjects: subjects,
  }
}
