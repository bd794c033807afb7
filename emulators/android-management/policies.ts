/** Policies: documents whose version rises with each change. */

import { ApiError, found, invalid } from '../google-errors.ts'
import { type Core, getEnterprise, nextSeq, wakePhone } from './core.ts'
import { applyUpdate } from './masks.ts'
import { type Call, type Method, UNCHANGED } from './method.ts'
import { pageOf } from './paging.ts'
import type { Json, Policy } from './resources.ts'
import type { EnterpriseRecord } from './state.ts'

export const POLICY_METHODS: Readonly<Record<string, Method>> = {
  'enterprises.policies.patch': patchPolicy,
  'enterprises.policies.get': (core, { ids }) =>
    found(getEnterprise(core, ids[0] ?? '').policies.get(ids[1] ?? '')).policy,
  'enterprises.policies.list': (core, { ids, query }) => {
    const { page, ...rest } = pageOf(getEnterprise(core, ids[0] ?? '').policies.values(), query)
    return { policies: page.map(({ policy }) => policy), ...rest }
  },
  'enterprises.policies.delete': deletePolicy,
}

const ID_FORM = /^[A-Za-z0-9._~-]{1,100}$/
const OUTPUT_ONLY = ['name', 'version']

function patchPolicy(core: Core, { ids, query, body }: Call): Json | typeof UNCHANGED {
  const enterprise = getEnterprise(core, ids[0] ?? '')
  const id = ids[1] ?? ''
  if (!ID_FORM.test(id)) throw invalid(`Request contains an invalid argument. Policy id ${id}`)
  const stored = enterprise.policies.get(id)
  const name = `${enterprise.resource.name}/policies/${id}`
  const before: Json = stored?.policy ?? { name }
  const after = applyUpdate(before, body, query.get('updateMask'), OUTPUT_ONLY)
  if (stored !== undefined && isSame(before, after)) return UNCHANGED
  const version = String(Number(stored?.policy.version ?? 0) + 1)
  const policy: Policy = { ...after, name, version }
  enterprise.policies.set(id, { seq: stored?.seq ?? nextSeq(core.state), policy })
  for (const { resource, phone_id } of enterprise.devices.values()) {
    if (resource.policyName === name) wakePhone(core, phone_id)
  }
  return policy
}

/** @throws ApiError while devices refer to the policy */
function deletePolicy(core: Core, { ids }: Call): Json {
  const { policies, devices } = getEnterprise(core, ids[0] ?? '')
  const { policy } = found(policies.get(ids[1] ?? ''))
  if ([...devices.values()].some(({ resource }) => resource.policyName === policy.name)) {
    throw new ApiError('FAILED_PRECONDITION', 'The policy is still referenced by devices.')
  }
  policies.delete(ids[1] ?? '')
  return {}
}

/**
 * Returns the full name of an existing policy.
 * @param policy full name or id; by default the policy `default`, which does not have to exist
 */
export function policyNameOf(enterprise: EnterpriseRecord, policy: string | undefined): string {
  const prefix = `${enterprise.resource.name}/policies/`
  if (policy === undefined || policy === '') return `${prefix}default`
  const id = policy.startsWith(prefix) ? policy.slice(prefix.length) : policy
  if (enterprise.policies.has(id)) return `${prefix}${id}`
  throw invalid(`Request contains an invalid argument. The policy ${policy} does not exist`)
}

export const findPolicy = (enterprise: EnterpriseRecord, name: string): Policy | undefined =>
  enterprise.policies.get(name.slice(`${enterprise.resource.name}/policies/`.length))?.policy

/** Compares two documents, regardless of the order of their members. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
