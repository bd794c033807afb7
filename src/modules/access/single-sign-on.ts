/**
 * Refuses requests of sessions that come from another place than they have to. The provider of an organization decides who
 * its people are, so a session that it has started reaches this organization and nothing else of the user. An organization
 * that requires single sign-on accepts no other sessions, except those of one owner. API keys are not affected.
 */
import { AppError, forbidden } from '../../platform/http/errors.ts'
import { isLimited, reachOf } from '../accounts/index.ts'
import type { Member, User } from './declaration.ts'
import { unproved } from './second-factor.ts'

/** @returns undefined for sessions that reach the organization */
export function providerRefusalOf(member: Member): AppError | undefined {
  switch (reachOf(member.org_id, member, member.provider)) {
    case 'reached':
      return undefined
    case 'as_break_glass':
      return member.has_second_factor && member.factor === undefined ? unproved() : undefined
    case 'limited':
      return elsewhere()
    case 'required':
      return required()
  }
}

/** @returns undefined for sessions that reach everything of the user */
export function limitRefusalOf({ provider, only_org_id }: User): AppError | undefined {
  if (only_org_id !== undefined) return forbidden('This token is for one organization only')
  return isLimited(provider) ? elsewhere() : undefined
}

const refusal = (message: string): AppError =>
  new AppError(403, { message, content: { field: 'single_sign_on' } })

const elsewhere = (): AppError =>
  refusal('You have signed in to one organization by its provider; sign in in another way for this')

const required = (): AppError => refusal('This organization requires single sign-on')
