/** What people see of deliveries: how endpoints fare over time, the history, and one delivery with its attempts. */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Walk } from '../../../platform/postgres/walk.ts'
import { findEndpoint } from '../endpoints/store.ts'
import { constantHeaders } from '../signature.ts'
import type { Attempt, DeliveryDetails, DeliveryPage, EndpointRate, Series } from './schema.ts'
import {
  type DeliveryFilters,
  type FoundDelivery,
  findWholeDelivery,
  readRates,
  readSeries,
  walkDeliveries,
} from './store.ts'

/** What is not the organisation's does not exist: undefined. */
export type WebhookHistory = {
  /** Of all endpoints of the organisation. */
  rates(orgId: string, hours: number): Promise<EndpointRate[]>
  series(orgId: string, endpointId: string, hours: number): Promise<Series | undefined>
  list(
    orgId: string,
    endpointId: string,
    query: DeliveryFilters & Walk,
  ): Promise<DeliveryPage | undefined>
  find(orgId: string, endpointId: string, id: string): Promise<DeliveryDetails | undefined>
}

const HOUR_MS = 3_600_000
const RATED_MAX = 500
const COUNTED_MAX = 20_000
/** A step of a series is the first of these that makes no more than so many of it. */
const STEPS_MAX = 96
const STEPS_MS = [60_000, 300_000, 900_000, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS]

export function createWebhookHistory({ db, clock }: { db: Db; clock: Clock }): WebhookHistory {
  const exists = async (orgId: string, id: string) =>
    isUuid(id) && (await findEndpoint(db, orgId, id)) !== undefined

  return {
    rates: async (orgId, hours) => {
      const from = new Date(clock.now().getTime() - hours * HOUR_MS)
      return await readRates(db, orgId, { from, rowsMax: RATED_MAX })
    },
    series: async (orgId, endpointId, hours) => {
      if (!(await exists(orgId, endpointId))) return undefined
      const range_ms = hours * HOUR_MS
      const step_ms = STEPS_MS.find((step) => range_ms / step <= STEPS_MAX) ?? 24 * HOUR_MS
      // To the end of the step that has begun, so that no step is cut.
      const until = new Date((Math.floor(clock.now().getTime() / step_ms) + 1) * step_ms)
      const from = new Date(until.getTime() - Math.ceil(range_ms / step_ms) * step_ms)
      const asked = { from, until, step_ms, rowsMax: COUNTED_MAX }
      const points = await readSeries(db, endpointId, asked)
      const counted = points.reduce((sum, point) => sum + totalOf(point), 0)
      return { from, until, step_ms, is_partial: counted >= COUNTED_MAX, points }
    },
    list: async (orgId, endpointId, { status, event_type, ...walk }) => {
      if (!(await exists(orgId, endpointId))) return undefined
      const filters = { status, event_type }
      const { rows, next, examined_until } = await walkDeliveries(db, endpointId, filters, walk)
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
  const { failed_attempts: _kept, url, sent_body, ...delivery } = found
  return {
    ...delivery,
    tried: triedOf(found),
    request: { url, headers: constantHeaders(found), body: sent_body },
  }
}

function triedOf({ failed_attempts, ...last }: FoundDelivery): Attempt[] {
  const failed = failed_attempts ?? []
  const { attempted_at, error, response_status, latency_ms } = last
  if (attempted_at === null) return failed
  // Before failures were kept one by one, the last attempt was all that was known.
  const isKept = error !== null && failed.length > 0
  const at = attempted_at.toISOString()
  return isKept ? failed : [...failed, { at, response_status, error, latency_ms }]
}
