/** Reads the policies, groups and tokens that the changes of a batch depend on. */
import type { Db } from '../../../platform/postgres/db.ts'
import type { ChangeContext, TokenFacts } from './change-context.ts'
import type { DeviceRow } from './record.ts'
import { type DeviceReport, policyIdOf } from './report.ts'
import { type DeviceKey, listGroups, listPolicies, listTokens, type ReportOf } from './store.ts'

export type Contexts = {
  of(orgId: string): Pick<ChangeContext, 'policies' | 'groups'>
  /** The token that the report names, if it belongs to the organization. */
  tokenOf(orgId: string, report: DeviceReport): TokenFacts | undefined
}

/** Reads only the records that the devices and reports refer to. */
export async function readContexts(
  tx: Db,
  rows: readonly DeviceRow[],
  reports: readonly ReportOf[],
): Promise<Contexts> {
  const groupKeys = rows.flatMap(({ org_id, group_id }) => keyed(org_id, group_id))
  const [tokens, groups] = await Promise.all([
    listTokens(tx, reports),
    listGroups(tx, distinct(groupKeys)),
  ])
  const policyKeys = [
    ...reports.flatMap(policiesOf),
    ...tokens.flatMap(({ org_id, policy_id }) => keyed(org_id, policy_id)),
    ...groups.flatMap(({ org_id, policy_id }) => keyed(org_id, policy_id)),
    ...rows.flatMap(({ org_id, policy_id }) => keyed(org_id, policy_id)),
  ]
  const policies = byOrganization(await listPolicies(tx, distinct(policyKeys)))
  const groupsOf = byOrganization(groups)
  const tokensById = byOrganization(tokens)
  const tokensByName = byOrganization(
    tokens.map((token) => ({ org_id: token.org_id, id: token.provider_name, token })),
  )
  return {
    of: (orgId) => ({ policies: policies(orgId), groups: groupsOf(orgId) }),
    tokenOf: (orgId, { token_id, token_name }) =>
      token_id === null
        ? tokensByName(orgId).get(token_name ?? '')?.token
        : tokensById(orgId).get(token_id),
  }
}

function policiesOf({ org_id, report }: ReportOf): DeviceKey[] {
  const { enterprise, policy_name, applied_policy_name } = report
  return [policy_name, applied_policy_name].flatMap((name) =>
    keyed(org_id, policyIdOf(enterprise, name) ?? null),
  )
}

const keyed = (org_id: string, id: string | null): DeviceKey[] =>
  id === null ? [] : [{ org_id, id }]

const distinct = (keys: readonly DeviceKey[]): DeviceKey[] => [
  ...new Map(keys.map((key) => [`${key.org_id} ${key.id}`, key])).values(),
]

function byOrganization<T extends DeviceKey>(rows: readonly T[]) {
  const maps = new Map<string, Map<string, T>>()
  for (const row of rows) {
    const map = maps.get(row.org_id) ?? new Map<string, T>()
    maps.set(row.org_id, map.set(row.id, row))
  }
  return (orgId: string): ReadonlyMap<string, T> => maps.get(orgId) ?? new Map()
}
