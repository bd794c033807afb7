/** What the pages of push read. */
import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query'
import type { Application } from '../../../../src/modules/applications/schema.ts'
import type { Configuration } from '../../../../src/modules/push/configurations/schema.ts'
import type { ShownCredential } from '../../../../src/modules/push/credentials/schema.ts'
import type { ApplicationSetup } from '../../../../src/modules/push/overview/schema.ts'
import type { Audience } from '../../../../src/modules/push/subscriptions/schema.ts'
import type { Answer, ApiError, Query } from '../../api/client.ts'
import { type Read, useRead } from '../../api/read.ts'
import { useSession } from '../../session/context.ts'
import { useOrg } from '../../shell/organization.ts'

export const PUSH = '/console/api/push'
/** After whatever is changed, all of it is read again. */
export const CHANGES = [PUSH]

const STANDING_REFRESH_MS = 10_000

export type App = Answer<Application>

export function useApplications(): Read<App[]> {
  const { id: org_id } = useOrg()
  return useRead(`${PUSH}/applications`, { org_id })
}

export function useSetups(): Read<ApplicationSetup[]> {
  const { id: org_id } = useOrg()
  return useRead(`${PUSH}/overview`, { org_id }, { refresh_ms: STANDING_REFRESH_MS })
}

/** Null: not configured yet. */
export function useConfiguration(appId: string): Read<Answer<Configuration> | null> {
  const { id: org_id } = useOrg()
  return useRead(`${PUSH}/applications/${appId}/configuration`, { org_id })
}

export function useCredentials(appId: string): Read<ShownCredential[]> {
  const { id: org_id } = useOrg()
  const options = { refresh_ms: STANDING_REFRESH_MS }
  return useRead(`${PUSH}/applications/${appId}/credentials`, { org_id }, options)
}

export function useAudience(appId: string): Read<Audience[]> {
  const { id: org_id } = useOrg()
  return useRead(`${PUSH}/subscriptions/counts`, { org_id, application_id: appId })
}

/** Lists whose next page is asked for by a parameter of another name than `cursor`. */
export function useListed<Page>(
  path: string,
  query: Query,
  options: {
    parameter: 'before' | 'after'
    /** Undefined after the last page. */
    next: (page: Page) => string | undefined
    refresh_ms?: number | false
  },
): UseInfiniteQueryResult<InfiniteData<Page>, ApiError> {
  const session = useSession()
  const { parameter, next, refresh_ms = false } = options
  return useInfiniteQuery<
    Page,
    ApiError,
    InfiniteData<Page>,
    readonly unknown[],
    string | undefined
  >({
    queryKey: [path, query, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      session.call<Page>({ path, query: { ...query, [parameter]: pageParam }, signal }),
    initialPageParam: undefined,
    getNextPageParam: next,
    refetchInterval: refresh_ms,
    placeholderData: keepPreviousData,
  })
}
