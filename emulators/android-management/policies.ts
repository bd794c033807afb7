/** Policies: documents with a version that rises whenever they change. */
import { type Core, getEnterprise, nextSeq } from './core.ts'
import { ApiError, invalid, notFound } from './errors.ts'
import { applyUpdate } from './masks.ts'
import { type Call, type Method, UNCHANGED } from './method.ts'
import { pageOf } from './paging.ts'
import type { Json, Policy } from './resources.ts'
import type { EnterpriseRecord } from './state.ts'

export const POLICY_METHODS: Readonly<Record<string, Method>> = {
  'enterprises.policies.patch': patchPolicy,
  'enterprises.policies.get': (core, { ids }) => {
    const stored = getEnterprise(core, ids[0] ?? '').policies.get(ids[1] ?? '')
    if (stored === undefined) throw notFound()
    return stored.policy
  },
  'enterprises.policies.list': (core, { ids, query }) => {
    const { page, ...rest } = pageOf(getEnterprise(core, ids[0] ?? '').policies.values(), query)
    return { policies: page.map(({ policy }) => policy), ...rest }
  },
  'enterprises.policies.delete': deletePolicy,
}

const ID_FORM = /^[A-Za-z0-9._~-]{1,100}$/
const KEPT = ['name', 'version']

function patchPolicy(core: Core, { ids, query, body }: Call): Json | typeof UNCHANGED {
  const enterprise = getEnterprise(core, ids[0] ?? '')
  const id = ids[1] ?? ''
  if (!ID_FORM.test(id)) throw invalid(`Request contains an invalid argument. Policy id ${id}`)
  const stored = enterprise.policies.get(id)
  const name = `${enterprise.resource.name}/policies/${id}`
  const before: Json = stored?.policy ?? { name }
  const after = applyUpdate(before, body, query.get('updateMask'), KEPT)
  if (stored !== undefined && isSame(before, after)) return UNCHANGED
  const version = String(Number(stored?.policy.version ?? 0) + 1)
  const policy: Policy = { ...after, name, version }
  enterprise.policies.set(id, { seq: stored?.seq ?? nextSeq(core.state), policy })
  for (const { resource, phone_id } of enterprise.devices.values()) {
    const phone = resource.policyName === name ? core.state.phones.get(phone_id) : undefined
    if (phone) core.wake(phone)
  }
  return policy
}

/** Only while no device refers to it. */
function deletePolicy(core: Core, { ids }: Call): Json {
  const { policies, devices } = getEnterprise(core, ids[0] ?? '')
  const stored = policies.get(ids[1] ?? '')
  if (stored === undefined) throw notFound()
  for (const { resource } of devices.values()) {
    if (resource.policyName !== stored.policy.name) continue
    throw new ApiError('FAILED_PRECONDITION', 'The policy is still referenced by devices.')
  }
  policies.delete(ids[1] ?? '')
  return {}
}

/**
 * The full name of a policy that is there, told by its full name or its id.
 * @param told absent: the policy `default`, which need not be there yet
 */
export function policyNameOf(enterprise: EnterpriseRecord, told: string | undefined): string {
  const prefix = `${enterprise.resource.name}/policies/`
  if (told === undefined || told === '') return `${prefix}default`
  const id = told.startsWith(prefix) ? told.slice(prefix.length) : told
  if (enterprise.policies.has(id)) return `${prefix}${id}`
  throw invalid(`Request contains an invalid argument. The policy ${told} does not exist`)
}

export const findPolicy = (enterprise: EnterpriseRecord, name: string): Policy | undefined =>
  enterprise.policies.get(name.slice(`${enterprise.resource.name}/policies/`.length))?.policy

/** Whatever the order of members. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
