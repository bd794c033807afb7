/**
 * Who may make whom what in an organisation: admins manage the others, and only owners make or
 * unmake owners. Whoever can decide about owners can take the organisation.
 */
import type { Role } from '../../../platform/postgres/tables/accounts.ts'

export type ChangeAsked = {
  actor: Role
  before: Role
  /** Undefined: to be no member any more. */
  next: Role | undefined
  is_self: boolean
}

export function mayChange({ actor, before, next, is_self }: ChangeAsked): boolean {
  if (actor === 'owner') return true
  if (is_self && next === undefined) return true
  return actor === 'admin' && before !== 'owner' && next !== 'owner'
}

export const mayInvite = (actor: Role, role: Role): boolean =>
  actor === 'owner' || (actor === 'admin' && role !== 'owner')
