import type { Application } from '../../../../src/modules/applications/schema.ts'
import type { Configuration } from '../../../../src/modules/push/configurations/schema.ts'
import type { ShownCredential } from '../../../../src/modules/push/credentials/schema.ts'
import type { ApplicationSetup } from '../../../../src/modules/push/overview/schema.ts'
import type { Audience } from '../../../../src/modules/push/subscriptions/schema.ts'
import type { Answer, Call, Query } from '../../api/client.ts'
import { type ChangeOptions, type ReadOptions, useChange, useRead } from '../../api/read.ts'
import { useOrg } from '../../shell/organization.ts'

export const PUSH = '/console/api/push'

const STATUS = { refresh_ms: 10_000 }

export type App = Answer<Application>

export const usePushRead = <T>(path: string, query: Query = {}, options: ReadOptions<T> = {}) =>
  useRead<T>(PUSH + path, { org_id: useOrg().id, ...query }, options)

export const useApplications = () => usePushRead<App[]>('/applications')

export const useSetups = () => usePushRead<ApplicationSetup[]>('/overview', {}, STATUS)

/** Null when the application is not configured yet. */
export const useConfiguration = (appId: string) =>
  usePushRead<Answer<Configuration> | null>(`/applications/${appId}/configuration`)

export const useCredentials = (appId: string) =>
  usePushRead<ShownCredential[]>(`/applications/${appId}/credentials`, {}, STATUS)

export const useAudience = (appId: string) =>
  usePushRead<Audience[]>('/subscriptions/counts', { application_id: appId })

/** A change for the organization, which invalidates all push queries. Its form shows errors. */
export function usePushChange<Input = void, Result = unknown>(
  callOf: (input: Input) => Call & { body?: object },
  options: ChangeOptions<Input, Result> = {},
) {
  const { id: org_id } = useOrg()
  return useChange<Input, Result>(
    (input) => {
      const { body, ...call } = callOf(input)
      if (body) return { ...call, body: { org_id, ...body } }
      return { ...call, query: { org_id, ...call.query } }
    },
    { quiet: true, invalidates: [PUSH], ...options },
  )
}
