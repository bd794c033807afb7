import type { Plan, Role } from '../../shell/organization.ts'

export const ROLE_NAMES: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

/** The consequences of granting a role, shown before it is granted. */
export const GRANTS: Record<Exclude<Role, 'member'>, string> = {
  admin:
    'Admins can invite and remove members and admins, create and roll API keys, wipe managed devices, and apply rules.',
  owner:
    'Owners can do everything, including removing you and the other owners, and changing the plan.',
}

export const PLAN_NAMES: Record<Plan, string> = {
  free: 'Free',
  starter: 'Starter',
  business: 'Business',
}

export const grantableBy = (role: Role): readonly Role[] =>
  role === 'owner' ? ['member', 'admin', 'owner'] : ['member', 'admin']
