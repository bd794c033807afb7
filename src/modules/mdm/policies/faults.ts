/** Finds all faults of a policy for the editor; saving reports only the first one. Pure. */
import type { ApiDescription } from '../../../platform/google/api-description.ts'
import { findPolicyFault, type PolicyFault } from './validation.ts'

const FAULTS_MAX = 50

/** Finds the next fault by removing the faulty member and validating the rest. */
export function findPolicyFaults(
  api: ApiDescription,
  policy: Record<string, unknown>,
  bytesMax: number,
): PolicyFault[] {
  const left = structuredClone(policy)
  const faults: PolicyFault[] = []
  while (faults.length < FAULTS_MAX) {
    const fault = findPolicyFault(api, left, bytesMax)
    const isKnown = faults.some(({ field }) => field === fault?.field)
    if (!fault || isKnown) return faults
    faults.push(fault)
    if (!removeMember(left, fault.field.split('.').slice(1))) return faults
  }
  return faults
}

/**
 * Never removes elements of lists, because that would change the paths of the elements after them.
 *
 * @returns whether the member was removed
 */
function removeMember(from: unknown, [name, ...rest]: readonly string[]): boolean {
  if (typeof from !== 'object' || from === null || name === undefined) return false
  const members = from as Record<string, unknown>
  if (!Object.hasOwn(members, name)) {
    // Names of members can contain dots.
    const [next, ...others] = rest
    return next === undefined ? false : removeMember(from, [`${name}.${next}`, ...others])
  }
  if (rest.length > 0) return removeMember(members[name], rest)
  if (Array.isArray(from)) return false
  delete members[name]
  return true
}
