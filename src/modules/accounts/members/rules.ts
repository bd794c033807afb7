/**
 * Decides who may change the role of a member. Admins manage members and admins, and only owners
 * appoint or remove owners, because control over owners is control over the organization.
 */
import type { Role } from '../tables.ts'

export type RoleChange = {
  actor: Role
  before: Role
  /** Undefined to remove the member. */
  next: Role | undefined
  is_self: boolean
}

export function mayChange({ actor, before, next, is_self }: RoleChange): boolean {
  if (actor === 'owner') return true
  if (is_self && next === undefined) return true
  return actor === 'admin' && before !== 'owner' && next !== 'owner'
}

export const mayInvite = (actor: Role, role: Role): boolean =>
  actor === 'owner' || (actor === 'admin' && role !== 'owner')
