/** What roles and plans are called. */
import type { Plan, Role } from '../../shell/organization.ts'

export const ROLE_NAMES: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
}

export const PLAN_NAMES: Record<Plan, string> = {
  free: 'Free',
  starter: 'Starter',
  business: 'Business',
}

/** The roles that somebody with a role may give. */
export const givenBy = (role: Role): readonly Role[] =>
  role === 'owner' ? ['member', 'admin', 'owner'] : ['member', 'admin']
