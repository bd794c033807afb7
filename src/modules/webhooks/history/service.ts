/** Success rates of webhook endpoints over time, and the delivery history with its attempts. */

import type { Clock } from '../../../platform/clock.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { HistoryBounds } from '../../../platform/postgres/history-page.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import { findEndpoint } from '../endpoints.store.ts'
import { constantHeaders } from '../signature.ts'
import type { Attempt, DeliveryDetails, DeliveryPage, EndpointRate, Series } from './schema.ts'
import {
  type DeliveryFilters,
  type FoundDelivery,
  findWholeDelivery,
  listDeliveryPage,
  readRates,
  readSeries,
} from './store.ts'

/** Returns undefined for endpoints and deliveries of other organizations. */
export type WebhookHistory = {
  /** One entry per endpoint of the organization and its portals, or of one portal. */
  rates(orgId: string, hours: number, portalId?: string): Promise<EndpointRate[]>
  series(orgId: string, endpointId: string, hours: number): Promise<Series | undefined>
  list(
    orgId: string,
    endpointId: string,
    query: DeliveryFilters & HistoryBounds,
  ): Promise<DeliveryPage | undefined>
  find(orgId: string, endpointId: string, id: string): Promise<DeliveryDetails | undefined>
}

const RATED_MAX = 500
const COUNTED_MAX = 20_000
/** A series uses the shortest step that divides its range into at most this number of steps. */
const STEPS_MAX = 96
const STEPS_MS = [60_000, 300_000, 900_000, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS]

export function createWebhookHistory({ db, clock }: { db: Db; clock: Clock }): WebhookHistory {
  return {
    rates: async (orgId, hours, portal_id) => {
      const from = new Date(clock.now().getTime() - hours * HOUR_MS)
      return await readRates(db, orgId, { from, rowsMax: RATED_MAX, portal_id })
    },
    series: async (orgId, endpointId, hours) => {
      if (!(await findEndpoint(db, orgId, endpointId))) return undefined
      const range_ms = hours * HOUR_MS
      const step_ms = STEPS_MS.find((step) => range_ms / step <= STEPS_MAX) ?? 24 * HOUR_MS
      // Ends with the current step, so that every step is complete.
      const until = new Date((Math.floor(clock.now().getTime() / step_ms) + 1) * step_ms)
      const from = new Date(until.getTime() - Math.ceil(range_ms / step_ms) * step_ms)
      const query = { from, until, step_ms, rowsMax: COUNTED_MAX }
      const points = await readSeries(db, orgId, endpointId, query)
      const counted = points.reduce((sum, point) => sum + totalOf(point), 0)
      return { from, until, step_ms, is_partial: counted >= COUNTED_MAX, points }
    },
    list: async (orgId, endpointId, { status, event_type, ...walk }) => {
      if (!(await findEndpoint(db, orgId, endpointId))) return undefined
      const filters = { status, event_type }
      const page = await listDeliveryPage(db, orgId, endpointId, filters, walk)
      const { rows, next, examined_until } = page
      return {
        deliveries: rows,
        next_cursor: next ?? null,
        examined_until: examined_until ?? null,
      }
    },
    find: async (orgId, endpointId, id) => {
      if (!isUuid(endpointId) || !isUuid(id)) return undefined
      const found = await findWholeDelivery(db, orgId, endpointId, id)
      return found && detailsOf(found)
    },
  }
}

const totalOf = ({ succeeded, failed, exhausted, pending }: Series['points'][number]): number =>
  succeeded + failed + exhausted + pending

function detailsOf(found: FoundDelivery): DeliveryDetails {
  const { failed_attempts: _attempts, url, sent_body, ...delivery } = found
  return {
    ...delivery,
    tried: attemptsOf(found),
    request: { url, headers: constantHeaders(found), body: sent_body },
  }
}

function attemptsOf({ failed_attempts, ...last }: FoundDelivery): Attempt[] {
  const failed = failed_attempts ?? []
  const { attempted_at, error, response_status, latency_ms } = last
  if (attempted_at === null) return failed
  // Deliveries from before failed attempts were stored have only their last attempt.
  const isListed = error !== null && failed.length > 0
  const at = attempted_at.toISOString()
  return isListed ? failed : [...failed, { at, response_status, error, latency_ms }]
}
