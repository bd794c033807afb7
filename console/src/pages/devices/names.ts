/** Names of policies, groups and members for records that refer to them by ID. */
import type { MdmNames } from '../../../../src/modules/mdm/browsing/schema.ts'
import type { Call } from '../../api/client.ts'
import { type ChangeOptions, type ReadOptions, useChange, useRead } from '../../api/read.ts'
import { useOrg } from '../../shell/organization.ts'
import { shortId, termText } from './terms.ts'

export type Names = ReturnType<typeof useNames>

const NONE: MdmNames = { policies: [], groups: [], people: {} }

/** While names are loading, and for deleted items, the end of the ID takes the place of the name. */
export function useNames() {
  const { data = NONE } = useMdmRead<MdmNames>('/console/api/mdm/names')
  const nameIn = (list: readonly { id: string; name: string }[], id: string) =>
    list.find((each) => each.id === id)?.name ?? shortId(id)
  return {
    ...data,
    policyOptions: data.policies.map(({ id, name, management_mode }) => ({
      value: id,
      label: `${name} (${termText(management_mode)})`,
    })),
    groupOptions: data.groups.map(({ id, name }) => ({ value: id, label: name })),
    policy: (id: string) => nameIn(data.policies, id),
    group: (id: string) => nameIn(data.groups, id),
    person: (id: string) =>
      Object.hasOwn(data.people, id) ? (data.people[id] ?? id) : shortId(id),
  }
}

export const MDM_QUERIES = ['/v1/mdm', '/console/api/mdm'] as const

export const useMdmRead = <T>(path: string, options?: ReadOptions<T>) =>
  useRead<T>(path, { org_id: useOrg().id }, options)

/** A change for the organization, which invalidates all device queries. Its form shows errors. */
export function useMdmChange<Input = void, Result = unknown>(
  callOf: (input: Input) => Call,
  options: ChangeOptions<Input, Result>,
) {
  const query = { org_id: useOrg().id }
  return useChange<Input, Result>((input) => ({ ...callOf(input), query }), {
    quiet: true,
    invalidates: MDM_QUERIES,
    ...options,
  })
}
