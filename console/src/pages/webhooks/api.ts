/** What the pages of webhooks read. */
import type {
  EndpointHealth,
  EndpointRate,
} from '../../../../src/modules/webhooks/history/schema.ts'
import type { Endpoint } from '../../../../src/modules/webhooks/schema.ts'
import type { Answer } from '../../api/client.ts'
import { type Read, useRead } from '../../api/read.ts'
import { useOrg } from '../../shell/organization.ts'

export const CONSOLE = '/console/api/webhooks'
export const DOCUMENTED = '/v1/webhooks'
/** After whatever is changed, all of it is read again. */
export const CHANGES = [CONSOLE]

export type EventType = Endpoint['events'][number]
export type Health = Answer<EndpointHealth>

const REFRESH_MS = 15_000

export function useEndpoints(): Read<Health[]> {
  const { id: org_id } = useOrg()
  return useRead<Health[]>(CONSOLE, { org_id }, { refresh_ms: REFRESH_MS })
}

export function useRates(hours: number): Read<Answer<EndpointRate>[]> {
  const { id: org_id } = useOrg()
  return useRead(`${CONSOLE}/rates`, { org_id, hours }, { refresh_ms: REFRESH_MS })
}

/** Of what was tried; null when nothing was. */
export function successRate(counts: {
  succeeded?: number
  failed?: number
  exhausted?: number
}): number | null {
  const { succeeded = 0, failed = 0, exhausted = 0 } = counts
  const tried = succeeded + failed + exhausted
  return tried === 0 ? null : succeeded / tried
}
