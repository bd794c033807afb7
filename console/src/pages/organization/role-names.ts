import type { Plan, Role } from '../../shell/organization.ts'

export const ROLE_NAMES: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

export const PLAN_NAMES: Record<Plan, string> = {
  free: 'Free',
  starter: 'Starter',
  business: 'Business',
}

export const grantableBy = (role: Role): readonly Role[] =>
  role === 'owner' ? ['member', 'admin', 'owner'] : ['member', 'admin']
