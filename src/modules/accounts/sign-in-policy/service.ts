/** How the members of an organization have to sign in, which its owners and the operator decide. */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import type { SignInPolicy } from '../schema.ts'
import { hasSecondFactor } from '../second-factor/store.ts'
import { lockOrganization } from '../store.ts'
import { findSignInPolicy, updateSignInPolicy } from './store.ts'

export type PolicyChange = 'done' | 'not_found' | 'no_second_factor'

export type SignInPolicies = {
  /** @returns undefined when the organization does not exist */
  findSignInPolicy(orgId: string): Promise<SignInPolicy | undefined>
  /**
   * @param by the acting user, who needs a second factor to require it of others; undefined for the
   *   command line
   */
  setSignInPolicy(orgId: string, policy: SignInPolicy, by?: string): Promise<PolicyChange>
}

type Options = { db: Database; newId: NewId; clock: Clock }

export function createSignInPolicies({ db, newId, clock }: Options): SignInPolicies {
  return {
    findSignInPolicy: async (orgId) =>
      isUuid(orgId) ? await findSignInPolicy(db, orgId) : undefined,
    setSignInPolicy: async (orgId, policy, by) => {
      if (!isUuid(orgId)) return 'not_found'
      return await db.transaction().execute(async (tx) => {
        const exists = await lockOrganization(tx, orgId)
        const before = exists ? await findSignInPolicy(tx, orgId) : undefined
        if (!before) return 'not_found'
        if (before.requires_second_factor === policy.requires_second_factor) return 'done'
        // An owner who locked out everyone including themselves would be the first to need help.
        if (by !== undefined && policy.requires_second_factor) {
          if (!(await hasSecondFactor(tx, by))) return 'no_second_factor'
        }
        await updateSignInPolicy(tx, orgId, policy)
        const at = clock.now()
        const entry = { id: newId(at), at, actor_user_id: by ?? null, details: policy }
        await insertAudit(tx, orgId, { ...entry, action: 'organization.sign_in_changed' })
        return 'done'
      })
    },
  }
}
