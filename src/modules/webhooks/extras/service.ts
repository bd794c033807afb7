/** What endpoints have beyond the documented fields: a filter, further headers, and a rate. */
import { type Static, Type } from 'typebox'
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { choice, maybe, nullable, strictObject } from '../../../platform/http/schemas.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { EVENT_TYPES } from '../../events/index.ts'
import type { EndpointHealth, PreviewedEvent } from '../history/schema.ts'
import { filterPath } from './filter.ts'
import { ownHeaders, sealHeaders } from './headers.ts'
import { eventFilter } from './schema.ts'
import { findExtras, previewFilter, updateExtras } from './store.ts'

const RATE_MAX = 1000
/** Events that a preview shows, and the newest events that it searches for them. */
const PREVIEWED = 20
const EXAMINED = 2000

export const extrasBody = strictObject({
  filter: maybe(eventFilter),
  headers: maybe(ownHeaders),
  rate_per_second: maybe(Type.Integer({ minimum: 1, maximum: RATE_MAX })),
})
export const previewBody = strictObject({
  mode: choice(['live', 'test']),
  events: Type.Array(choice(EVENT_TYPES), { minItems: 1, maxItems: 100 }),
  filter: nullable(eventFilter),
})

export type EndpointExtras = {
  /**
   * Members that are left out keep their values, and null removes them.
   * @throws AppError 400 naming the member
   */
  change(
    orgId: string,
    id: string,
    changes: Static<typeof extrasBody>,
  ): Promise<EndpointHealth | undefined>
  /** The newest events of the types, with whether they pass. */
  preview(orgId: string, query: Static<typeof previewBody>): Promise<PreviewedEvent[]>
}

export function createEndpointExtras(deps: {
  db: Db
  sealer: Pick<Sealer, 'seal' | 'open'>
  clock: Clock
  hint: () => void
}): EndpointExtras {
  const { db, sealer, clock, hint } = deps
  return {
    change: async (org_id, id, { filter, headers, rate_per_second }) => {
      const stored = isUuid(id) ? await findExtras(db, org_id, id) : undefined
      if (!stored) return undefined
      const row = await updateExtras(
        db,
        { org_id, id },
        {
          ...(filter !== undefined && { filter, filter_path: filterPath(filter) }),
          ...(headers !== undefined &&
            (await sealHeaders(sealer, id, headers ?? [], stored.sealed_headers))),
          ...(rate_per_second !== undefined && { rate_per_second, paced_until: null }),
        },
        clock.now(),
      )
      // Deliveries may be due that waited for a lower rate.
      hint()
      if (!row) return undefined
      const { org_id: _org, ...health } = row
      return health
    },
    preview: async (orgId, { filter, ...query }) =>
      await previewFilter(db, orgId, {
        ...query,
        filter_path: filterPath(filter),
        limit: PREVIEWED,
        examined: EXAMINED,
      }),
  }
}
