import type {
  EndpointHealth,
  EndpointRate,
} from '../../../../src/modules/webhooks/history/schema.ts'
import type { Endpoint } from '../../../../src/modules/webhooks/schema.ts'
import type { Answer, Call } from '../../api/client.ts'
import { type ChangeOptions, useChange, useRead } from '../../api/read.ts'
import { useOrg } from '../../shell/organization.ts'

export const CONSOLE = '/console/api/webhooks'
export const DOCUMENTED = '/v1/webhooks'

export type EventType = Endpoint['events'][number]
export type Health = Answer<EndpointHealth>

const REFRESH_MS = 15_000

export const useEndpoints = () =>
  useRead<Health[]>(CONSOLE, { org_id: useOrg().id }, { refresh_ms: REFRESH_MS })

type Rates = Answer<EndpointRate>[]
export const useRates = (hours: number, refresh_ms = REFRESH_MS) =>
  useRead<Rates>(`${CONSOLE}/rates`, { org_id: useOrg().id, hours }, { refresh_ms })

/** A change for the organization, which invalidates all webhook queries unless others are named. Its form shows errors. */
export function useWebhookChange<Result>(
  callOf: () => Call & { body?: object },
  options: ChangeOptions<void, Result>,
) {
  const { id: org_id } = useOrg()
  return useChange<void, Result>(
    () => {
      const { body, ...call } = callOf()
      return body ? { ...call, body: { org_id, ...body } } : { ...call, query: { org_id } }
    },
    { quiet: true, invalidates: [CONSOLE], ...options },
  )
}
