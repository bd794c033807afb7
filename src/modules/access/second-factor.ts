/**
 * Refuses requests that the second factor of a user has to permit. An organization can require one of its members,
 * and routes with serious consequences need a recent proof from users who have one. API keys are not affected.
 */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../platform/http/errors.ts'
import type { FreshFactor, Member } from './declaration.ts'

/** @returns undefined for requests that need no further proof */
export function factorRefusalOf(
  fresh: FreshFactor,
  member: Member,
  { body }: Pick<FastifyRequest, 'body'>,
): AppError | undefined {
  const { has_second_factor, requires_second_factor, factor, provider } = member
  if (provider?.is_fresh === false && factor !== 'fresh' && isMeant(fresh, body)) return unproved()
  if (provider && provider.org_id !== null) {
    return requires_second_factor && factor === undefined ? unreported() : undefined
  }
  if (provider?.is_fresh === true && factor !== undefined) return undefined
  if (!has_second_factor) return requires_second_factor ? missing() : undefined
  if (factor !== 'fresh' && isMeant(fresh, body)) return unproved()
  return requires_second_factor && factor === undefined ? unproved() : undefined
}

const isMeant = (fresh: FreshFactor, body: unknown): boolean =>
  typeof fresh === 'boolean'
    ? fresh
    : Object.entries(fresh).some(([member, values]) =>
        values.includes((body as Readonly<Record<string, unknown>> | undefined)?.[member]),
      )

const missing = (): AppError =>
  new AppError(403, {
    message: 'This organization requires a second factor; set one up under Profile',
    content: { field: 'second_factor' },
  })

/** A second factor that the user has set up here counts for their own sign-in, not for that of a provider. */
const unreported = (): AppError =>
  new AppError(403, {
    message:
      'This organization requires a second factor, and its provider has not reported one for your sign-in',
    content: { field: 'single_sign_on' },
  })

/** The console shows a dialog for a code and repeats the request. */
export const unproved = (): AppError =>
  new AppError(403, {
    message: 'Confirm this with a code of your second factor',
    content: { field: 'code' },
  })
