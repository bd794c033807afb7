/** Which organizations a session reaches, by where it comes from. */
import type { SessionProvider } from '../sessions/existing-sessions.ts'
import type { Membership } from '../store.ts'

/** `limited`: the session reaches another organization only. `required`: it had to come from a provider. */
export type Reach = 'reached' | 'as_break_glass' | 'limited' | 'required'

export function reachOf(
  orgId: string,
  { required_provider = null, is_break_glass = false }: Partial<Membership>,
  provider: SessionProvider | undefined,
): Reach {
  if (isLimited(provider) && provider?.org_id !== orgId) return 'limited'
  if (required_provider === null) return 'reached'
  if (provider?.org_id === (required_provider === 'own' ? orgId : null)) return 'reached'
  return is_break_glass && !provider ? 'as_break_glass' : 'required'
}

/** The provider of an organization decides who its people are, so its sessions reach nothing else of a user. */
export const isLimited = (provider: SessionProvider | undefined): boolean =>
  (provider?.org_id ?? null) !== null
