/** Reads cashiers for the console: comparison of peers, one cashier, and one action. */

import type { Clock } from '../../../platform/clock.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { readStates, type StateId } from '../../../platform/states/index.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/time-units.ts'
import { shownAdjustment, shownShadow } from '../../reasons/index.ts'
import { findReviewOf, listPeople, shownDecision, subjectReader } from '../../reviews/index.ts'
import { riskLevel } from '../../risk/index.ts'
import { explainAction } from '../explain.ts'
import { CASHIER_PARAMETERS } from '../scoring/parameters.ts'
import type { CashierStates } from '../scoring/states.ts'
import { cashiersKey } from '../state-keys.ts'
import { findWholeActions, type WholeAction } from '../store.ts'
import { countedWith, peerScore } from './peer-score.ts'
import { mediansOf, peerRows } from './peers.ts'
import { type Examined, listCashiers, listStores, type PeriodQuery } from './period.store.ts'
import type {
  CashierActionItem,
  CashierActions,
  CashierActionType,
  CashierPeers,
  CashierPeriod,
  CashierStores,
  CashierSummary,
  CashierTimeline,
  ExplainedCashierAction,
} from './schema.ts'
import { shiftsOf } from './shifts.ts'
import {
  type ActionFilter,
  type ActionSummary,
  countQuarters,
  findCashier,
  listActions,
  listActionsBetween,
} from './store.ts'

type PeersQuery = { location: string; action_type: CashierActionType; days: number }

export type CashierReadings = {
  stores(owner: Owner, days: number): Promise<CashierStores>
  peers(owner: Owner, query: PeersQuery): Promise<CashierPeers>
  actions(
    owner: Owner,
    filter: ActionFilter,
    page: { after?: string | undefined; limit: number },
  ): Promise<CashierActions>
  /** Returns undefined for an id that is not an action of the organization. */
  action(orgId: string, id: string): Promise<ExplainedCashierAction | undefined>
  /** Returns undefined for a cashier without stored actions. */
  cashier(owner: Owner, cashierId: string, days: number): Promise<CashierSummary | undefined>
  timeline(
    owner: Owner,
    cashierId: string,
    between: { start: Date; end: Date },
  ): Promise<CashierTimeline | undefined>
}

export type CashierReadingDependencies = {
  db: Database
  directory: Database
  clock: Clock
  stateId: StateId
  /** Finds the order with this id of the organization. */
  findOrderId: (db: Db, owner: Owner, externalOrderId: string) => Promise<string | undefined>
  /** Maximum number of actions that are read for sums over a period. */
  period_actions_max?: number
}

const PERIOD_ACTIONS_MAX = 50_000
const CASHIER_ACTIONS_MAX = 5000
const TIMELINE_MAX = 1000
const STORES_MAX = 200
const CASHIERS_MAX = 200

export function createCashierReadings(deps: CashierReadingDependencies): CashierReadings {
  const { db, clock } = deps
  return {
    stores: async (owner, days) => {
      const now = clock.now()
      const period = periodOf(deps, owner, days, now)
      const { stores, ...examined } = await listStores(db, period, STORES_MAX)
      return {
        stores: stores.map(({ last_ms, ...store }) => ({
          ...store,
          last_performed_at: new Date(last_ms).toISOString(),
        })),
        period: periodRead(period, examined, now),
      }
    },

    peers: async (owner, query) => await readPeers(deps, owner, query),

    actions: async (owner, filter, { after, limit }) => {
      const page = { after, limit: limit + 1, examined_max: CASHIER_ACTIONS_MAX }
      const { actions, last_id } = await listActions(db, owner, filter, page)
      const listed = actions.slice(0, limit)
      const next_cursor = actions.length > limit ? (listed.at(-1)?.id ?? null) : (last_id ?? null)
      return { actions: listed.map(itemOf), next_cursor }
    },

    action: async (orgId, id) => {
      if (!isUuid(orgId) || !isUuid(id)) return undefined
      const [action] = await findWholeActions(db, id, { org_id: orgId })
      return action && (await explained(deps, action))
    },

    cashier: async (owner, cashierId, days) => {
      if (!isUuid(cashierId)) return undefined
      const cashier = { ...owner, cashier_id: cashierId }
      const found = await findCashier(db, cashier)
      return found && (await readSummary(deps, cashier, found, days))
    },

    timeline: async (owner, cashierId, between) => {
      if (!isUuid(cashierId)) return undefined
      const cashier = { ...owner, cashier_id: cashierId }
      const found = await findCashier(db, cashier)
      return found && (await readTimeline(deps, cashier, found, between))
    },
  }
}

const periodOf = (
  { period_actions_max = PERIOD_ACTIONS_MAX }: CashierReadingDependencies,
  owner: Owner,
  days: number,
  now: Date,
): PeriodQuery => ({
  ...owner,
  since: new Date(now.getTime() - days * DAY_MS),
  examined_max: period_actions_max,
})

async function readPeers(
  deps: CashierReadingDependencies,
  owner: Owner,
  { location, action_type, days }: PeersQuery,
): Promise<CashierPeers> {
  const { db, clock, stateId } = deps
  const now = clock.now()
  const period = periodOf(deps, owner, days, now)
  const compared = { location, action_type }
  const { cashiers, shifts, ...examined } = await listCashiers(db, period, compared, CASHIERS_MAX)
  const storeKey = stateId(owner, 'cashier_store', location)
  const organizationKey = cashiersKey(stateId, owner)
  const ids = [...cashiers.map(({ cashier_id }) => cashier_id), storeKey, organizationKey]
  const keys = ids.map((id) => ({ org_id: owner.org_id, id }))
  const states = await readStates(db, keys, false)
  const at = (id: string) => states.get(id)?.state
  const store = at(storeKey) as CashierStates['store']
  const organization = at(organizationKey) as CashierStates['organization']
  const scoreOf = (cashier_id: string) => {
    const cashier = at(cashier_id) as CashierStates['cashier']
    const of = { location, cashier_id }
    return peerScore(action_type, of, { cashier, store, organization }, now)
  }
  const rows = peerRows(cashiers, shifts, scoreOf, now)
  return {
    ...compared,
    counted_with: countedWith(action_type),
    currency: store?.currency || null,
    cashiers: rows,
    medians: mediansOf(rows),
    period: periodRead(period, examined, now),
  }
}

type Cashier = Owner & { cashier_id: string }
type Found = { cashier_external_id: string; location: string }

async function readSummary(
  { db, clock }: CashierReadingDependencies,
  cashier: Cashier,
  found: Found,
  days: number,
): Promise<CashierSummary> {
  const since = new Date(clock.now().getTime() - days * DAY_MS)
  const { quarters, examined } = await countQuarters(db, cashier, since, CASHIER_ACTIONS_MAX)
  return {
    cashier_id: cashier.cashier_id,
    ...found,
    actions: sumOf(quarters.map(({ actions }) => actions)),
    flagged: sumOf(quarters.map(({ flagged }) => flagged)),
    quarters: quarters.map(({ at_ms, ...rest }) => ({
      at: new Date(at_ms).toISOString(),
      ...rest,
    })),
    is_complete: examined < CASHIER_ACTIONS_MAX,
  }
}

async function readTimeline(
  { db, clock }: CashierReadingDependencies,
  cashier: Cashier,
  { cashier_external_id }: Found,
  { start, end }: { start: Date; end: Date },
): Promise<CashierTimeline> {
  // A shift can begin on the day before, and end on the day after.
  const longest_ms = CASHIER_PARAMETERS.shifts.longest_hours * HOUR_MS
  const around = {
    start: new Date(start.getTime() - longest_ms),
    end: new Date(end.getTime() + longest_ms),
  }
  const bounds = { limit: TIMELINE_MAX + 1, examined_max: CASHIER_ACTIONS_MAX }
  const [actions, events] = await Promise.all([
    listActionsBetween(db, cashier, { start, end }, bounds),
    listActionsBetween(db, cashier, { ...around, only: SHIFT_EVENTS }, bounds),
  ])
  const until_ms = Math.min(around.end.getTime(), clock.now().getTime())
  return {
    cashier_id: cashier.cashier_id,
    cashier_external_id,
    shifts: shiftsBetween(events, { start, end }, until_ms),
    actions: actions.slice(0, TIMELINE_MAX).map(itemOf),
    is_complete: actions.length <= TIMELINE_MAX,
  }
}

function periodRead(
  { since, examined_max }: PeriodQuery,
  { examined, oldest_ms }: Examined,
  now: Date,
): CashierPeriod {
  const is_complete = examined < examined_max
  return {
    since: new Date(is_complete || oldest_ms === null ? since : oldest_ms).toISOString(),
    until: now.toISOString(),
    examined,
    is_complete,
  }
}

const SHIFT_EVENTS = ['shift_start', 'shift_end'] as const

/** Returns the shifts that overlap the time range. */
function shiftsBetween(
  actions: readonly ActionSummary[],
  { start, end }: { start: Date; end: Date },
  until_ms: number,
): CashierTimeline['shifts'] {
  const events = actions.flatMap(({ action_type, performed_at }) =>
    action_type === 'shift_start' || action_type === 'shift_end'
      ? [{ action_type, at_ms: performed_at.getTime() }]
      : [],
  )
  return shiftsOf(events, until_ms, CASHIER_PARAMETERS.shifts.longest_hours)
    .filter(({ ended_ms }) => ended_ms === null || ended_ms >= start.getTime())
    .filter(({ started_ms, ended_ms }) => (started_ms ?? ended_ms ?? 0) <= end.getTime())
    .map(({ started_ms, ended_ms, how }) => ({
      started_at: timeText(started_ms),
      ended_at: timeText(ended_ms),
      how,
    }))
}

const timeText = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

function itemOf({ performed_at, created_at, ...action }: ActionSummary): CashierActionItem {
  return {
    ...action,
    risk_level: riskLevel(action.risk_score),
    performed_at: performed_at.toISOString(),
    received_at: created_at.toISOString(),
  }
}

async function explained(
  { directory, db, findOrderId }: CashierReadingDependencies,
  action: WholeAction,
): Promise<ExplainedCashierAction> {
  const { org_id, mode, id, request, measurements, fraud } = action
  const { context } = measurements
  const named = request.order_external_id
  const [[about], review, orderId] = await Promise.all([
    subjectReader.read(db, [{ org_id, subject_id: id }]),
    findReviewOf(db, org_id, id),
    named === undefined ? undefined : findOrderId(db, { org_id, mode }, named),
  ])
  const decisions = (about?.decisions ?? []).map((row) => ({
    ...shownDecision(row),
    decided_at: row.decided_at.toISOString(),
  }))
  return {
    action: {
      id,
      mode,
      cashier_id: action.cashier_id,
      cashier_external_id: request.cashier_external_id,
      action_type: request.action_type,
      amount_cents: request.amount_cents ?? null,
      edge_device_id: request.edge_device_id ?? null,
      order_external_id: named ?? null,
      reason: request.reason ?? null,
      location: context.location,
      local_hour: context.local_hour,
      risk_score: fraud.risk_score,
      risk_level: fraud.risk_level,
      flags: fraud.flags,
      performed_at: action.performed_at.toISOString(),
      received_at: action.created_at.toISOString(),
    },
    signals: explainAction(fraud, measurements.signals),
    adjustments: (measurements.adjustments ?? []).map(shownAdjustment),
    shadows: (measurements.shadows ?? []).map(shownShadow),
    order: named === undefined ? null : namedOrder(named, orderId, context.order),
    review_id: review?.id ?? null,
    decisions,
    people: await listPeople(
      directory,
      org_id,
      decisions.map(({ decided_by }) => decided_by),
    ),
  }
}

function namedOrder(
  external_order_id: string,
  id: string | undefined,
  matched: WholeAction['measurements']['context']['order'],
): ExplainedCashierAction['order'] {
  if (matched === undefined || matched === null) {
    return { external_order_id, id: id ?? null, matched: null }
  }
  const { ordered_at_ms, ...known } = matched
  const ordered_at = new Date(ordered_at_ms).toISOString()
  return { external_order_id, id: id ?? null, matched: { ...known, ordered_at } }
}
