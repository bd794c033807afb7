/**
 * Validates a policy before it is stored: its size, the members, types and enumerations of the API
 * description, and the enforcement rules. Returns the first fault with its path.
 */
import { type ApiDescription, findMessageFault } from '../../../platform/google/api-description.ts'

/** @property field the path in the client's request, `policy_json.applications.0.installType` */
export type PolicyFault = { field: string; message: string }

const ROOT = 'policy_json'
/** Members that the provider sets, although the API description does not mark them as read-only. */
export const SET_BY_PROVIDER: readonly string[] = ['name', 'version']

export function findPolicyFault(
  api: ApiDescription,
  policy: Record<string, unknown>,
  bytesMax: number,
): PolicyFault | undefined {
  if (Buffer.byteLength(JSON.stringify(policy)) > bytesMax) {
    return fault(ROOT, `must have at most ${bytesMax} bytes`)
  }
  const readOnly = SET_BY_PROVIDER.find((name) => Object.hasOwn(policy, name))
  if (readOnly !== undefined) return fault(`${ROOT}.${readOnly}`, 'cannot be set')
  const mismatch = findMessageFault(api, 'Policy', policy, { is_request: true, path: ROOT })
  if (mismatch) return fault(mismatch.path, mismatch.message)
  return findEnforcementFault(api, (policy as Enforced).policyEnforcementRules ?? [])
}

type Enforced = { policyEnforcementRules?: EnforcementRule[] }
type EnforcementRule = {
  settingName?: string
  blockAction?: { blockAfterDays?: number }
  wipeAction?: { wipeAfterDays?: number }
}

/** https://developers.google.com/android/management/reference/rest/v1/enterprises.policies#PolicyEnforcementRule */
function findEnforcementFault(
  api: ApiDescription,
  rules: readonly EnforcementRule[],
): PolicyFault | undefined {
  const settings = api.messages['Policy'] ?? {}
  for (const [index, { settingName, blockAction, wipeAction }] of rules.entries()) {
    const at = `${ROOT}.policyEnforcementRules.${index}`
    if (settingName === undefined) return fault(`${at}.settingName`, 'is required')
    if (!Object.hasOwn(settings, settingName) || NEVER_ENFORCED.includes(settingName)) {
      return fault(`${at}.settingName`, 'must be a member of the policy, such as passwordPolicies')
    }
    if (!blockAction) return fault(`${at}.blockAction`, 'is required')
    if (!wipeAction) return fault(`${at}.wipeAction`, 'is required')
    // A missing number is zero in messages of this API.
    const { blockAfterDays = 0 } = blockAction
    const { wipeAfterDays = 0 } = wipeAction
    if (blockAfterDays < 0) return fault(`${at}.blockAction.blockAfterDays`, 'must be >= 0')
    if (wipeAfterDays <= blockAfterDays) {
      return fault(`${at}.wipeAction.wipeAfterDays`, 'must be greater than blockAfterDays')
    }
  }
  return undefined
}

export const NEVER_ENFORCED: readonly string[] = [...SET_BY_PROVIDER, 'policyEnforcementRules']

const fault = (field: string, problem: string): PolicyFault => ({
  field,
  message: `${field} ${problem}`,
})
