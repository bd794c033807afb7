/** Names of policies, groups and people, where records refer to them by their ids. */
import type { MdmNames } from '../../../../src/modules/mdm/browsing/schema.ts'
import { useRead } from '../../api/read.ts'
import { useOrg } from '../../shell/organization.ts'
import { shortId } from './words.ts'

export type Names = MdmNames & {
  policy(id: string): string
  group(id: string): string
  person(id: string): string
}

const NONE: MdmNames = { policies: [], groups: [], people: {} }

/** While they are read, and of what is gone, the ends of ids stand for names. */
export function useNames(): Names {
  const { id: org_id } = useOrg()
  const { data = NONE } = useRead<MdmNames>('/console/api/mdm/names', { org_id })
  const nameIn = (list: readonly { id: string; name: string }[], id: string) =>
    list.find((each) => each.id === id)?.name ?? shortId(id)
  return {
    ...data,
    policy: (id) => nameIn(data.policies, id),
    group: (id) => nameIn(data.groups, id),
    person: (id) => (Object.hasOwn(data.people, id) ? (data.people[id] ?? id) : shortId(id)),
  }
}

/** What is read again after something was changed. */
export const CHANGED = ['/v1/mdm', '/console/api/mdm'] as const
