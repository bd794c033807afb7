/** Use cases of reading orders and profiles for people who have to understand a case. */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { Walk, Walked } from '../../../platform/postgres/walk.ts'
import { readStates, type StateId } from '../../../platform/states/index.ts'
import type { DeviceState } from '../../profiles/index.ts'
import { subjectReader } from '../../reviews/index.ts'
import { apportion, riskLevel } from '../../risk/index.ts'
import { explainOrder, isOfNewOrganization } from '../explain.ts'
import { orderKeys } from '../keys.ts'
import { parametersOfOrder } from '../rules/of-order.ts'
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
  type Owner,
} from './store.ts'

export type OrderHistoryQuery = Omit<OrderFilters, 'id' | 'external_order_id' | 'profile_id'> &
  Walk & {
    /** `external_order_id`, or the id that the service gave. */
    name?: string | undefined
    /** `external_id` of the profile. */
    external_id?: string | undefined
  }

export type OrderReading = {
  list(query: OrderHistoryQuery): Promise<OrderPage>
  find(orgId: string, id: string): Promise<OrderDetails | undefined>
  findProfile(orgId: string, id: string): Promise<ProfileDetails | undefined>
  /** @param query `from`: names from this one on; `after`: behind the last one of a page */
  listProfiles(
    owner: Owner,
    query: { from?: string | undefined; after?: string | undefined; limit: number },
  ): Promise<ProfilePage>
}

export type OrderReadingDependencies = {
  db: Database
  clock: Clock
  stateId: StateId
  /** Who decided, by name. */
  members: (orgId: string) => Promise<readonly { user_id: string; email: string }[]>
}

/** Orders of a profile that are shown beside one of them. */
const BEFORE_MAX = 50

export function createOrderReading(deps: OrderReadingDependencies): OrderReading {
  const { db, stateId } = deps
  return {
    list: async ({ name, external_id, ...query }) => {
      const profile_id =
        external_id === undefined ? undefined : stateId(query, 'profile', external_id)
      const list = async (of: Partial<OrderFilters>) =>
        pageOf(await listOrders(db, { ...query, ...of, profile_id }, query))
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

const pageOf = ({ rows, next, examined_until }: Walked<ListedOrder>): OrderPage => ({
  orders: rows.map(leveled),
  next_cursor: next ?? null,
  examined_until: examined_until ?? null,
})

async function detailsOf(deps: OrderReadingDependencies, order: WholeOrder): Promise<OrderDetails> {
  const { db } = deps
  const { org_id, mode, id, request, profile_id } = order
  const { external_order_id } = request
  const [listed, before, actions, device, opinions, parameters] = await Promise.all([
    listOrders(db, { org_id, mode, id }, { limit: 1 }),
    profile_id === null
      ? []
      : listOrders(db, { org_id, mode, profile_id }, { after: id, limit: BEFORE_MAX }).then(
          ({ rows }) => rows,
        ),
    listActions(db, order, external_order_id),
    deviceOf(deps, order),
    opinionsOf(deps, order),
    parametersOfOrder(db, order),
  ])
  const shown = [...listed.rows, ...before]
  const known =
    profile_id === null ? undefined : await findKnownProfile(deps, org_id, profile_id, shown)
  const [item] = listed.rows.map(leveled)
  if (!item) throw new Error(`order ${id} is not where it was found`)
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
    is_of_new_organization: isOfNewOrganization(order, parameters),
    ...opinions,
    actions: actions.map((action) => ({ ...action, risk_level: riskLevel(action.risk_score) })),
    device,
    profile: known?.profile ?? null,
    behaviour: known?.behaviour ?? null,
    before: before.map(leveled),
  }
}

function partsOf(
  { risk, measurements }: WholeOrder,
  parameters: OrderParameters,
): OrderSignalPart[] {
  const signals = explainOrder(risk, measurements, parameters)
  const points = apportion(
    risk.risk_score,
    signals.map(({ share }) => share),
  )
  return signals.map((part, index) => {
    const flag = FLAG_OF[part.signal]
    return { ...part, points: points[index] ?? 0, flag: risk.flags.includes(flag) ? flag : null }
  })
}

async function opinionsOf(
  { db, members }: OrderReadingDependencies,
  { org_id, id }: WholeOrder,
): Promise<Pick<OrderDetails, 'decisions' | 'reviews'>> {
  const [[about], people] = await Promise.all([
    subjectReader.read(db, [{ org_id, subject_id: id }]),
    members(org_id),
  ])
  const emails = new Map(people.map(({ user_id, email }) => [user_id, email]))
  return {
    decisions: (about?.decisions ?? []).map(({ decision, decided_at, decided_by, note }) => ({
      decision,
      decided_at,
      decided_by,
      decided_by_email: emails.get(decided_by),
      note,
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
