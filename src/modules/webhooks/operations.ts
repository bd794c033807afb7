/** Console operations on webhook endpoints that are not part of the documented API. */

import type { Clock } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { HOUR_MS } from '../../platform/time-units.ts'
import { readStatistics, replayDeliveries } from './deliveries.store.ts'
import { type EndpointRow, findEndpoint, listEndpoints, updateEndpoint } from './endpoints.store.ts'
import type { DeliveryStatistics, EndpointHealth, Replayed, Statistics } from './history/schema.ts'
import type { DeliveryStatus } from './tables.ts'

export type ReplayRequest = {
  statuses: readonly Exclude<DeliveryStatus, 'pending'>[]
  from?: Date | undefined
  until?: Date | undefined
  /** `last_id` of the previous response. */
  after?: string | undefined
}

export type WebhookOperations = {
  /** @param portalId by default, endpoints of the organization and of all portals */
  listHealth(orgId: string, portalId?: string): Promise<EndpointHealth[]>
  /**
   * Selects whether the endpoint gets events of live keys (the default) or of test keys (OP-55).
   * @throws AppError 400 for endpoints of portals, which have the mode of the portal
   */
  setMode(orgId: string, id: string, mode: Mode): Promise<EndpointHealth | undefined>
  statistics(orgId: string, id: string, hours: number): Promise<Statistics | undefined>
  /** Sends deliveries created in a time range again, oldest first. */
  replay(orgId: string, id: string, request: ReplayRequest): Promise<Replayed | undefined>
}

const COUNTED_MAX = 20_000
const REPLAYED_MAX = 5000
const BEGINNING = new Date(0)
const FIRST_DELIVERY = '00000000-0000-0000-0000-000000000000'

export function createWebhookOperations(options: {
  db: Db
  clock: Clock
  hint: () => void
}): WebhookOperations {
  const { db, clock, hint } = options

  return {
    listHealth: async (orgId, portalId) => (await listEndpoints(db, orgId, portalId)).map(healthOf),
    setMode: async (orgId, id, mode) => {
      const found = await findEndpoint(db, orgId, id)
      if (!found) return undefined
      if (found.portal_id !== null && mode !== found.mode) {
        throw invalidRequest('mode', 'mode of an endpoint of a portal is that of the portal')
      }
      const row = await updateEndpoint(db, { org_id: orgId, id }, { mode }, clock.now())
      return row && healthOf(row)
    },
    statistics: async (orgId, id, hours) => {
      if (!(await findEndpoint(db, orgId, id))) return undefined
      // The clock of the database, which dates deliveries, may be ahead of this one.
      const until = new Date(clock.now().getTime() + HOUR_MS)
      const from = new Date(clock.now().getTime() - hours * HOUR_MS)
      const found = await readStatistics(db, orgId, id, { from, until, rowsMax: COUNTED_MAX })
      return {
        ...found,
        hours,
        is_partial: found.counted === COUNTED_MAX,
        success_rate: rateOf(found),
      }
    },
    replay: async (orgId, id, { statuses, from = BEGINNING, until, after = FIRST_DELIVERY }) => {
      if (!(await findEndpoint(db, orgId, id))) return undefined
      const ids = await replayDeliveries(db, orgId, id, {
        statuses,
        from,
        until: until ?? clock.now(),
        after,
        limit: REPLAYED_MAX,
      })
      hint()
      const is_more = ids.length === REPLAYED_MAX
      return { replayed: ids.length, is_more, last_id: ids.at(-1) ?? null }
    },
  }
}

const healthOf = ({ org_id: _org, ...health }: EndpointRow): EndpointHealth => health

function rateOf({ by_status }: DeliveryStatistics): number | null {
  const { succeeded = 0, failed = 0, exhausted = 0 } = by_status
  const tried = succeeded + failed + exhausted
  return tried === 0 ? null : succeeded / tried
}
