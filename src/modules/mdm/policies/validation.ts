/**
 * Whether a policy is one that the provider can take, as far as its description tells: members, types
 * and enumerations, the size, and the rules of enforcement. The first fault is told by its path.
 */
import { type ApiDescription, findMessageFault } from '../../../platform/google/api-description.ts'

/** @property field the path in the client's request, `policy_json.applications.0.installType` */
export type PolicyFault = { field: string; message: string }

const AT = 'policy_json'
/** The provider gives them; the description does not mark them as its own. */
const GIVEN_BY_PROVIDER = ['name', 'version']

export function findPolicyFault(
  api: ApiDescription,
  policy: Record<string, unknown>,
  bytesMax: number,
): PolicyFault | undefined {
  if (Buffer.byteLength(JSON.stringify(policy)) > bytesMax) {
    return fault(AT, `must not have more than ${bytesMax} bytes`)
  }
  const given = GIVEN_BY_PROVIDER.find((name) => Object.hasOwn(policy, name))
  if (given !== undefined) return fault(`${AT}.${given}`, 'cannot be set')
  const unlike = findMessageFault(api, 'Policy', policy, { is_request: true }, AT)
  if (unlike) return fault(unlike.path, unlike.message)
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
    const at = `${AT}.policyEnforcementRules.${index}`
    if (settingName === undefined) return fault(`${at}.settingName`, 'is required')
    if (!Object.hasOwn(settings, settingName) || NEVER_ENFORCED.includes(settingName)) {
      return fault(`${at}.settingName`, 'must be a member of the policy, such as passwordPolicies')
    }
    if (!blockAction) return fault(`${at}.blockAction`, 'is required')
    if (!wipeAction) return fault(`${at}.wipeAction`, 'is required')
    // Zero and absent are the same in messages of this API.
    const { blockAfterDays = 0 } = blockAction
    const { wipeAfterDays = 0 } = wipeAction
    if (blockAfterDays < 0) return fault(`${at}.blockAction.blockAfterDays`, 'must be >= 0')
    if (wipeAfterDays <= blockAfterDays) {
      return fault(`${at}.wipeAction.wipeAfterDays`, 'must be more than blockAfterDays')
    }
  }
  return undefined
}

const NEVER_ENFORCED = [...GIVEN_BY_PROVIDER, 'policyEnforcementRules']

const fault = (field: string, problem: string): PolicyFault => ({
  field,
  message: `${field} ${problem}`,
})
