/** Reads orders and profiles for members who investigate a case. */

import type { Clock } from '../../../platform/clock.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { HistoryBounds, HistoryPage } from '../../../platform/postgres/history-page.ts'
import { readStates, type StateId } from '../../../platform/states/index.ts'
import type { DeviceState } from '../../profiles/index.ts'
import { calibrationText, shownAdjustment, shownShadow } from '../../reasons/index.ts'
import { shownDecision, subjectReader } from '../../reviews/index.ts'
import { riskLevel } from '../../risk/index.ts'
import { explainOrder, isOfNewOrganization } from '../explanation.ts'
import { orderKeys } from '../keys.ts'
import type { CalibrationStep } from '../learning/schema.ts'
import { parametersOfOrder } from '../rules/parameters-of-order.ts'
import type { OrderParameters } from '../scoring/parameters.ts'
import { FLAG_OF } from '../scoring/signals.ts'
import { findWholeOrders, type WholeOrder } from '../store.ts'
import { findKnownProfile, findProfileDetails, leveled, pageOfProfiles } from './profiles.ts'
import type {
  OrderDetails,
  OrderDevice,
  OrderPage,
  OrderSignalPart,
  ProfileDetails,
  ProfilePage,
} from './schema.ts'
import {
  findDeviceCheck,
  type ListedOrder,
  listActions,
  listOrders,
  type OrderFilters,
} from './store.ts'

export type OrderHistoryQuery = Omit<OrderFilters, 'id' | 'external_order_id' | 'profile_id'> &
  HistoryBounds & {
    /** `external_order_id` or id of the order. */
    name?: string | undefined
    /** `external_id` of the profile. */
    external_id?: string | undefined
  }

export type OrderReading = {
  list(query: OrderHistoryQuery): Promise<OrderPage>
  find(orgId: string, id: string): Promise<OrderDetails | undefined>
  findProfile(orgId: string, id: string): Promise<ProfileDetails | undefined>
  /** @param query `from` is the first name to list, `after` the last name of the previous page */
  listProfiles(
    owner: Owner,
    query: { from?: string | undefined; after?: string | undefined; limit: number },
  ): Promise<ProfilePage>
}

export type OrderReadingDependencies = {
  db: Database
  clock: Clock
  stateId: StateId
  /** Returns the share of fraud among orders with a score; undefined while it is unknown. */
  calibration: (owner: Owner, score: number) => Promise<CalibrationStep | undefined>
  /** Members of the organization, to name those who decided. */
  members: (orgId: string) => Promise<readonly { user_id: string; email: string }[]>
}

/** Maximum number of earlier orders of the profile. */
const BEFORE_MAX = 50

export function createOrderReading(deps: OrderReadingDependencies): OrderReading {
  const { db, stateId } = deps
  return {
    list: async ({ name, external_id, ...query }) => {
      const profile_id =
        external_id === undefined ? undefined : stateId(query, 'profile', external_id)
      const list = async (filters: Partial<OrderFilters>) =>
        pageOf(await listOrders(db, { ...query, ...filters, profile_id }, query))
      if (name !== undefined && isUuid(name)) {
        const byId = await list({ id: name })
        if (byId.orders.length > 0) return byId
      }
      return await list({ external_order_id: name })
    },
    find: async (orgId, id) => {
      if (!isUuid(id)) return undefined
      const [order] = await findWholeOrders(db, { id }, { org_id: orgId })
      return order && (await detailsOf(deps, order))
    },
    findProfile: async (orgId, id) =>
      isUuid(id) ? await findProfileDetails(deps, orgId, id.toLowerCase()) : undefined,
    listProfiles: async (owner, query) => await pageOfProfiles(deps, owner, query),
  }
}

const pageOf = ({ rows, next, examined_until }: HistoryPage<ListedOrder>): OrderPage => ({
  orders: rows.map(leveled),
  next_cursor: next ?? null,
  examined_until: examined_until ?? null,
})

async function detailsOf(deps: OrderReadingDependencies, order: WholeOrder): Promise<OrderDetails> {
  const { db } = deps
  const { org_id, mode, id, request, profile_id } = order
  const { external_order_id } = request
  const [listed, before, actions, device, reviews, parameters, calibration] = await Promise.all([
    listOrders(db, { org_id, mode, id }, { limit: 1 }),
    profile_id === null
      ? []
      : listOrders(db, { org_id, mode, profile_id }, { after: id, limit: BEFORE_MAX }).then(
          ({ rows }) => rows,
        ),
    listActions(db, order, external_order_id),
    deviceOf(deps, order),
    reviewsOf(deps, order),
    parametersOfOrder(db, order),
    deps.calibration(order, order.risk.risk_score),
  ])
  const shown = [...listed.rows, ...before]
  const known =
    profile_id === null ? undefined : await findKnownProfile(deps, org_id, profile_id, shown)
  const [item] = listed.rows.map(leveled)
  if (!item) throw new Error(`order ${id} disappeared while it was read`)
  return {
    order: {
      ...item,
      mode,
      seq: order.seq,
      flagged_for_review: order.risk.flagged_for_review,
      country: order.context.country ?? null,
      rules_version: order.rules_version,
      cashier_id: orderKeys(deps.stateId, order, request).sale?.cashier ?? null,
    },
    sent: request,
    signals: partsOf(order, parameters),
    adjustments: order.adjustments.map(shownAdjustment),
    shadows: order.shadows.map(shownShadow),
    is_of_new_organization: isOfNewOrganization(order, parameters),
    experience: calibration === undefined ? null : calibrationText(calibration),
    ...reviews,
    actions: actions.map((action) => ({ ...action, risk_level: riskLevel(action.risk_score) })),
    device,
    profile: known?.profile ?? null,
    behavior: known?.behavior ?? null,
    before: before.map(leveled),
  }
}

function partsOf(order: WholeOrder, parameters: OrderParameters): OrderSignalPart[] {
  const { flags } = order.risk
  return explainOrder(order, parameters).map((part) => {
    const flag = FLAG_OF[part.signal]
    return { ...part, flag: flags.includes(flag) ? flag : null }
  })
}

async function reviewsOf(
  { db, members }: OrderReadingDependencies,
  { org_id, id }: WholeOrder,
): Promise<Pick<OrderDetails, 'decisions' | 'reviews'>> {
  const [[about], people] = await Promise.all([
    subjectReader.read(db, [{ org_id, subject_id: id }]),
    members(org_id),
  ])
  const emails = new Map(people.map(({ user_id, email }) => [user_id, email]))
  return {
    decisions: (about?.decisions ?? []).map((row) => ({
      ...shownDecision(row),
      decided_by_email: emails.get(row.decided_by),
    })),
    reviews: (about?.reviews ?? []).map((review) => ({
      id: review.id,
      subject: review.subject,
      reason: review.reason,
      created_at: review.created_at,
      decision: review.decision,
    })),
  }
}

async function deviceOf(
  { db, stateId }: OrderReadingDependencies,
  order: WholeOrder,
): Promise<OrderDevice | null> {
  const { org_id, request } = order
  const { fingerprint_hash } = request
  if (fingerprint_hash === undefined) return null
  const id = stateId(order, 'device', fingerprint_hash)
  const [states, check] = await Promise.all([
    readStates(db, [{ org_id, id }], false),
    findDeviceCheck(db, org_id, id, fingerprint_hash),
  ])
  const state = states.get(id)?.state as DeviceState | undefined
  return {
    fingerprint_hash,
    profiles: state?.users.count ?? 0,
    check: check ? { ...check, risk_level: riskLevel(check.risk_score) } : null,
  }
}
