/** What a signed-in user may do in an organisation. One they are no member of does not exist. */
import { forbidden, notFound } from '../../platform/http/errors.ts'
import type { Memberships } from './members/service.ts'
import type { Membership } from './store.ts'

/** What is needed of accounts to know who belongs where. */
export type Members = Pick<Memberships, 'membership'>

export async function requireMember(
  accounts: Members,
  userId: string,
  orgId: string,
): Promise<Membership> {
  const membership = await accounts.membership(userId, orgId)
  if (!membership) throw notFound()
  return membership
}

export async function requireAdmin(
  accounts: Members,
  userId: string,
  orgId: string,
): Promise<void> {
  const { role } = await requireMember(accounts, userId, orgId)
  if (role === 'member') throw forbidden('Owners and admins only')
}
