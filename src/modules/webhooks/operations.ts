/** What the console shows and does beyond the documented operations: health, statistics, replay. */
import type { Clock } from '../../platform/clock.ts'
import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { DeliveryStatus } from '../../platform/postgres/tables/webhooks.ts'
import { readStatistics, replayDeliveries } from './deliveries/store.ts'
import { type EndpointRow, findEndpoint, listEndpoints, updateEndpoint } from './endpoints/store.ts'
import type { DeliveryStatistics, EndpointHealth, Replayed, Statistics } from './history/schema.ts'

export type StatisticsWindow = { hours: number }
export type ReplayRequest = {
  statuses: readonly Exclude<DeliveryStatus, 'pending'>[]
  from?: Date | undefined
  until?: Date | undefined
  /** `last_id` of the answer before. */
  after?: string | undefined
}

export type WebhookOperations = {
  listHealth(orgId: string): Promise<EndpointHealth[]>
  /** Which events it gets: those of live keys (as every new endpoint), or those of test keys. */
  setMode(orgId: string, id: string, mode: Mode): Promise<EndpointHealth | undefined>
  statistics(orgId: string, id: string, window: StatisticsWindow): Promise<Statistics | undefined>
  /** Sends again what was to be delivered in a time, oldest first. */
  replay(orgId: string, id: string, request: ReplayRequest): Promise<Replayed | undefined>
}

const HOUR_MS = 3_600_000
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
  const exists = async (orgId: string, id: string) =>
    isUuid(id) && (await findEndpoint(db, orgId, id)) !== undefined

  return {
    listHealth: async (orgId) => (await listEndpoints(db, orgId)).map(healthOf),
    setMode: async (orgId, id, mode) => {
      if (!isUuid(id)) return undefined
      const row = await updateEndpoint(db, orgId, id, { mode }, clock.now())
      return row && healthOf(row)
    },
    statistics: async (orgId, id, { hours }) => {
      if (!(await exists(orgId, id))) return undefined
      // What a transaction under way dates is a little ahead.
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
      if (!(await exists(orgId, id))) return undefined
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
