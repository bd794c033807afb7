/** All faults of a policy at once, for whoever writes it; the first one alone refuses it. Pure. */
import type { ApiDescription } from '../../../platform/google/api-description.ts'
import { findPolicyFault, type PolicyFault } from './validation.ts'

const FAULTS_MAX = 50

/** A fault is found behind another by looking at the policy without the member that is at fault. */
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

/** Elements of lists stay: those behind them would have other places. @returns whether it was there */
function removeMember(from: unknown, [name, ...rest]: readonly string[]): boolean {
  if (typeof from !== 'object' || from === null || name === undefined) return false
  const members = from as Record<string, unknown>
  if (!Object.hasOwn(members, name)) {
    // Names of members may have dots.
    const [next, ...others] = rest
    return next === undefined ? false : removeMember(from, [`${name}.${next}`, ...others])
  }
  if (rest.length > 0) return removeMember(members[name], rest)
  if (Array.isArray(from)) return false
  delete members[name]
  return true
}
