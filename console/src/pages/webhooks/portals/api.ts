import type { ListedPortal } from '../../../../../src/modules/portals/schema.ts'
import type { Answer, Call } from '../../../api/client.ts'
import { type ChangeOptions, useRead } from '../../../api/read.ts'
import { useOrg } from '../../../shell/organization.ts'
import { useWebhookChange } from '../api.ts'
import { usePortal } from '../scope.ts'

export const PORTALS = '/console/api/portals'
export type Portal = Answer<ListedPortal>

export const usePortals = (options: { enabled?: boolean } = {}) =>
  useRead<Portal[]>(PORTALS, { org_id: useOrg().id }, options)

/** @returns names by id; none in a portal, where customers see their own endpoints only */
export function usePortalNames(): ReadonlyMap<string, string> {
  const portals = usePortals({ enabled: usePortal() === undefined })
  return new Map(portals.data?.map(({ id, name }) => [id, name]))
}

export const usePortalChange = <Result>(
  callOf: () => Call & { body?: object },
  options: ChangeOptions<void, Result>,
) => useWebhookChange<Result>(callOf, { invalidates: [PORTALS], ...options })
