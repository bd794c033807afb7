/**
 * Reads for the console that the specification does not have: names, the status, a device search by
 * parts of words, and earlier versions of policies.
 */
import { isUuid } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { addressesOf, type Connection } from '../connection/service.ts'
import { toDevice } from '../devices/record.ts'
import { publishStateOf, toPolicy } from '../policies/record.ts'
import type { Policy } from '../policies/schema.ts'
import { findPolicy } from '../policies/store.ts'
import { COMPLIANCE_STATES, DEVICE_STATES, MANAGEMENT_MODES, type MdmTables } from '../tables.ts'
import type {
  FoundDevices,
  MdmNames,
  MdmStatus,
  PolicyVersion,
  PolicyVersions,
  PolicyVersionWithJson,
} from './schema.ts'
import {
  countDevicesByKind,
  type DeviceCount,
  type DeviceSearch,
  findDevicesExactly,
  findPolicyVersion,
  listNamedGroups,
  listNamedPolicies,
  listPolicyVersions,
  searchDevices,
} from './store.ts'

export type MdmBrowsing = {
  names(orgId: string): Promise<MdmNames>
  status(orgId: string): Promise<MdmStatus>
  /** Devices whose whole serial number or id is `q` come first, on the first page. */
  search(orgId: string, search: DeviceSearch, page: SearchPage): Promise<FoundDevices>
  findPolicy(orgId: string, policyId: string): Promise<Policy | undefined>
  /** @returns undefined when the organization has no such policy */
  versions(orgId: string, policyId: string): Promise<PolicyVersions | undefined>
  findVersion(
    orgId: string,
    policyId: string,
    version: number,
  ): Promise<PolicyVersionWithJson | undefined>
}

export type SearchPage = { after: string | undefined; limit: number }

type Options = {
  db: Db
  connection: Pick<Connection, 'resolve'>
  listMembers: (orgId: string) => Promise<readonly { user_id: string; email: string }[]>
}

export function createMdmBrowsing({ db, connection, listMembers }: Options): MdmBrowsing {
  return {
    names: async (orgId) => {
      const policies = await listNamedPolicies(db, orgId)
      const groups = await listNamedGroups(db, orgId)
      const members = await listMembers(orgId)
      return {
        policies: policies.map(({ published_version, publish_error, ...policy }) => ({
          ...policy,
          publish_state: publishStateOf({ ...policy, published_version, publish_error }),
        })),
        groups,
        people: Object.fromEntries(members.map(({ user_id, email }) => [user_id, email])),
      }
    },
    status: async (orgId) => ({
      ...(await lookUpConnection(connection)),
      ...sums(await countDevicesByKind(db, orgId)),
    }),
    search: async (orgId, search, { after, limit }) => {
      const exact = search.q ? await findDevicesExactly(db, orgId, search, limit) : []
      const { rows, next, examined } = await searchDevices(db, orgId, search, { after, limit })
      // Exact matches were on the first page, so later pages leave them out.
      const known = new Set(exact.map(({ id }) => id))
      const others = rows.filter(({ id }) => !known.has(id))
      return {
        devices: [...(after === undefined ? exact : []), ...others].map(toDevice),
        next_cursor: next ?? null,
        examined,
      }
    },
    findPolicy: async (orgId, policyId) => {
      const row = isUuid(policyId) ? await findPolicy(db, orgId, policyId) : undefined
      return row && toPolicy(row)
    },
    versions: async (orgId, policyId) => {
      const rows = isUuid(policyId) ? await listPolicyVersions(db, orgId, policyId) : []
      return rows.length === 0 ? undefined : { versions: rows.map(toVersion) }
    },
    findVersion: async (orgId, policyId, version) => {
      if (!isUuid(policyId)) return undefined
      const row = await findPolicyVersion(db, orgId, policyId, version)
      return row && { ...toVersion(row), policy_json: row.policy_json }
    },
  }
}

async function lookUpConnection(
  connection: Options['connection'],
): Promise<Pick<MdmStatus, 'connected_to' | 'emulator_url'>> {
  const found = await connection.resolve().catch(() => 'unknown' as const)
  if (found === 'unknown') return { connected_to: 'unknown', emulator_url: null }
  if (found === undefined) return { connected_to: 'nothing', emulator_url: null }
  const isGoogle = found.api_url === addressesOf(undefined).api_url
  return isGoogle
    ? { connected_to: 'google', emulator_url: null }
    : { connected_to: 'emulator', emulator_url: found.api_url }
}

function sums(counts: readonly DeviceCount[]) {
  const live = counts.filter(({ state }) => state !== 'deleted')
  return {
    by_state: sumsBy(DEVICE_STATES, counts, 'state'),
    by_compliance: sumsBy(COMPLIANCE_STATES, live, 'compliance_state'),
    by_mode: sumsBy(MANAGEMENT_MODES, live, 'management_mode'),
  }
}

function sumsBy<Value extends string>(
  values: readonly Value[],
  counts: readonly DeviceCount[],
  member: 'state' | 'compliance_state' | 'management_mode',
): Record<Value, number> {
  const sumOf = (value: Value) =>
    counts.reduce((sum, count) => sum + (count[member] === value ? count.devices : 0), 0)
  return Object.fromEntries(values.map((value) => [value, sumOf(value)])) as Record<Value, number>
}

type VersionRow = Pick<MdmTables['mdm_policy_versions'], keyof PolicyVersion>

const toVersion = ({ version, created_at, created_by }: VersionRow): PolicyVersion => ({
  version,
  created_at: created_at.toISOString(),
  created_by,
})
