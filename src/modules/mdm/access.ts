/** Members read, owners and admins act; all others learn nothing, not even that there is something. */
import { forbidden } from '../../platform/http/errors.ts'
import type { Members } from '../accounts/index.ts'

/** @throws AppError 403 */
export async function requireReader(
  accounts: Members,
  userId: string,
  orgId: string,
): Promise<void> {
  if (!(await accounts.membership(userId, orgId))) throw forbidden(MEMBERS_ONLY)
}

/** @throws AppError 403 */
export async function requireOperator(
  accounts: Members,
  userId: string,
  orgId: string,
): Promise<void> {
  const membership = await accounts.membership(userId, orgId)
  if (!membership) throw forbidden(MEMBERS_ONLY)
  if (membership.role === 'member') throw forbidden('Owners and admins only')
}

const MEMBERS_ONLY = 'Members of the organization only'
