/**
 * From a person at a provider to a user. A provider of an organization vouches for people of this organization only: it is
 * connected with a member who has proved the e-mail, otherwise it gets a new account, even if people elsewhere have
 * this e-mail. The provider of the installation is connected with the account that has proved the e-mail.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import { emailFault } from '../credentials.ts'
import { changeMemberIn } from '../members/service.ts'
import { DUMMY_HASH } from '../passwords.ts'
import { findMembership, insertUser, lockOrganization } from '../store.ts'
import { type Claims, emailOf, type PersonRefused, type Provider, roleOf } from './provider.ts'
import {
  deleteSessionsOfProvider,
  findIdentity,
  findProvedUser,
  findRequirement,
  insertIdentity,
  lockIdentities,
} from './store.ts'

type Options = { clock: Clock; newId: NewId }
export type Person = { user_id: string } | { refused: PersonRefused }

/** Creates the user and the membership if needed, and sets the role. Call it in a transaction that commits. */
export async function admitPerson(
  tx: Db,
  options: Options,
  provider: Provider,
  claims: Claims,
): Promise<Person> {
  const checked = emailOf(provider, claims)
  const email = 'email' in checked && !emailFault(checked.email) ? checked.email : undefined
  const { joins, issuer } = provider
  if (joins !== undefined) await lockOrganization(tx, joins)
  if (provider.org_id === undefined) await lockIdentities(tx, issuer)
  const identity = { org_id: provider.org_id ?? null, issuer, subject: claims.sub }
  const known = await findIdentity(tx, identity)
  const refuse = async (reason: PersonRefused): Promise<Person> => {
    // A person who has lost the role here also loses the sessions.
    if (known && provider.org_id !== undefined) {
      await deleteSessionsOfProvider(tx, provider.org_id, known.user_id)
    }
    const facts = { reason, subject: claims.sub }
    await note(tx, options, joins, { action: 'refused', target: email, details: facts })
    return { refused: reason }
  }
  if (email === undefined)
    return await refuse('refused' in checked ? checked.refused : 'email_missing')
  const existing = known?.user_id ?? (await findProvedUser(tx, email, provider.org_id))
  const member = existing && joins ? await findMembership(tx, joins, existing) : undefined
  const role = roleOf(provider, claims)
  if (!existing && joins === undefined) return await refuse('unknown_person')
  const isKept = provider.role_claim === null && member !== undefined
  if (joins !== undefined && role === undefined && !isKept) return await refuse('no_role')
  const user_id = existing ?? (await createUser(tx, options, email, provider))
  if (user_id === undefined) return await refuse('unknown_person')
  if (!known) {
    await insertIdentity(tx, { ...identity, user_id, created_at: options.clock.now() })
    const facts = { actor_user_id: user_id, target: email, details: { subject: claims.sub } }
    await note(tx, options, joins, { action: 'linked', ...facts })
  }
  if (joins !== undefined && role !== undefined && !isKept) {
    const { break_glass_user_id } = (await findRequirement(tx, joins)) ?? {}
    const change = { user_id, next: role, by: undefined, reason: 'single_sign_on' }
    // The last owner stays one: an organization without owners could not be changed any more.
    if (break_glass_user_id !== user_id) await changeMemberIn(tx, options, joins, change)
  }
  await note(tx, options, joins, { action: 'signed_in', actor_user_id: user_id, target: email })
  return { user_id }
}

/** The account has no password that anyone knows. @returns undefined when another request has just created it */
async function createUser(
  tx: Db,
  { clock, newId }: Options,
  email: string,
  { org_id }: Provider,
): Promise<string | undefined> {
  const now = clock.now()
  const id = newId(now)
  // An organization must not take the address from its owner, so its word proves nothing elsewhere.
  const email_proved_at = org_id === undefined ? now : null
  const user = { id, email, password_hash: DUMMY_HASH, created_at: now, email_proved_at }
  return (await insertUser(tx, user)) ? id : undefined
}

type Facts = {
  action: string
  actor_user_id?: string
  target?: string | undefined
  details?: Record<string, unknown>
}

async function note(
  tx: Db,
  { clock, newId }: Options,
  orgId: string | undefined,
  { action, actor_user_id, ...facts }: Facts,
): Promise<void> {
  if (orgId === undefined) return
  const at = clock.now()
  const entry = { id: newId(at), at, actor_user_id: actor_user_id ?? null, ...facts }
  await insertAudit(tx, orgId, { ...entry, action: `single_sign_on.${action}` })
}
