/**
 * Invitations by a link that works once. Its holder becomes a member, either with a new account for
 * the invited e-mail or with an account that has this e-mail if the holder knows its password. The
 * link is shown once, to the inviter; Vigil sends no e-mail, so the link does not prove the e-mail. It
 * neither takes the address from others nor reveals whether they have an account.
 */
import type { Clock } from '../../../platform/clock.ts'
import { hashToken, isToken, newToken } from '../../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { insertAudit } from '../../audit/index.ts'
import { emailFault, type PasswordFault, passwordFault } from '../credentials.ts'
import { mayInvite } from '../members/rules.ts'
import type { Passwords } from '../passwords.ts'
import { findAccount } from '../same-email.ts'
import type { CreatedInvitation, Invitation, InvitationPreview } from '../schema.ts'
import {
  findMembership,
  findUser,
  findUserWithEmail,
  insertUser,
  lockOrganization,
  upsertMembership,
} from '../store.ts'
import type { Role } from '../tables.ts'
import {
  countOtherInvitations,
  deleteInvitation,
  findOpenInvitation,
  isMemberEmail,
  listInvitations,
  type OpenInvitation,
  upsertInvitation,
} from './store.ts'

export type InviteRefused = 'not_found' | 'forbidden' | 'email_invalid' | 'is_member' | 'too_many'
export type AcceptRefused = PasswordFault | 'not_found' | 'other_user'
/** The organization that the user has joined. */
export type Joined = { org_id: string; email: string }

export type Invitations = {
  /** Inviting an address again creates a new link; the old one stops working. */
  invite(
    orgId: string,
    invitation: { email: string; role: Role },
    by: string,
  ): Promise<CreatedInvitation | { refused: InviteRefused }>
  /** Newest first, including expired ones. */
  listInvitations(orgId: string): Promise<Invitation[]>
  /** @returns false when the invitation does not exist */
  revokeInvitation(orgId: string, id: string, by: string): Promise<boolean>
  /** @returns undefined when the token cannot be accepted, for any reason */
  previewInvitation(token: string): Promise<InvitationPreview | undefined>
  /**
   * Joins with a new account for the invited e-mail, which has not proved it. An account with this
   * e-mail and password joins instead of another one with the same credentials, and keeps the role of
   * a member. Of concurrent calls with one token, one succeeds.
   * @throws PasswordsBusyError when too many sign-ins are waiting
   */
  acceptWithPassword(token: string, password: string): Promise<Joined | { refused: AcceptRefused }>
  /** Joins as an existing user with the invited e-mail. A member keeps their current role. */
  acceptAs(token: string, userId: string): Promise<Joined | { refused: AcceptRefused }>
}

export type InvitationOptions = {
  db: Database
  newId: NewId
  clock: Clock
  passwords: Passwords
  invitation_days: number
}

export const INVITATIONS_MAX = 200
const PREFIX = 'vit_'

export function createInvitations(options: InvitationOptions): Invitations {
  const { db, clock, newId, passwords } = options
  const find = async (token: string): Promise<OpenInvitation | undefined> =>
    isToken(token, PREFIX) ? await findOpenInvitation(db, hashToken(token), clock.now()) : undefined

  return {
    invite: async (orgId, invitation, by) => await invite(options, orgId, invitation, by),
    listInvitations: async (orgId) =>
      isUuid(orgId) ? await listInvitations(db, orgId, INVITATIONS_MAX) : [],
    revokeInvitation: async (orgId, id, by) => {
      if (!isUuid(orgId) || !isUuid(id)) return false
      return await db.transaction().execute(async (tx) => {
        const { email, role } = (await deleteInvitation(tx, orgId, id)) ?? {}
        if (email === undefined) return false
        const facts = { action: 'invitation.revoked', target: email, details: { role } }
        await audit(tx, options, orgId, { ...facts, actor_user_id: by })
        return true
      })
    },
    previewInvitation: async (token) => {
      const found = await find(token)
      if (!found) return undefined
      const { organization, email, role, expires_at } = found
      return { organization, email, role, expires_at: expires_at.toISOString() }
    },
    acceptWithPassword: async (token, password) => {
      const found = await find(token)
      if (!found) return { refused: 'not_found' }
      const { email, org_id } = found
      const known = await findAccount(options, email, password, { org_id })
      if (known) return await accept(options, token, found, () => Promise.resolve(known.id))
      const fault = await passwordFault(password, email)
      if (fault) return { refused: fault }
      const password_hash = await passwords.hash(password)
      return await accept(options, token, found, async (tx) => {
        const now = clock.now()
        const user = { id: newId(now), email, password_hash, created_at: now }
        await insertUser(tx, { ...user, email_proved_at: null })
        return user.id
      })
    },
    acceptAs: async (token, userId) => {
      const found = await find(token)
      if (!found) return { refused: 'not_found' }
      return await accept(options, token, found, async (tx, { email }) =>
        (await findUserWithEmail(tx, userId, email)) ? userId : { refused: 'other_user' },
      )
    },
  }
}

async function invite(
  options: InvitationOptions,
  orgId: string,
  invitation: { email: string; role: Role },
  by: string,
): Promise<CreatedInvitation | { refused: InviteRefused }> {
  const { role } = invitation
  const email = invitation.email.trim()
  if (!isUuid(orgId)) return { refused: 'not_found' }
  if (emailFault(email)) return { refused: 'email_invalid' }
  return await options.db.transaction().execute(async (tx) => {
    if (!(await lockOrganization(tx, orgId))) return { refused: 'not_found' }
    const actor = await findMembership(tx, orgId, by)
    if (!actor) return { refused: 'not_found' }
    if (!mayInvite(actor.role, role)) return { refused: 'forbidden' }
    if (await isMemberEmail(tx, orgId, email)) return { refused: 'is_member' }
    if ((await countOtherInvitations(tx, orgId, email)) >= INVITATIONS_MAX) {
      return { refused: 'too_many' }
    }
    const now = options.clock.now()
    const token = newToken(PREFIX)
    const id = options.newId(now)
    const expires_at = new Date(now.getTime() + options.invitation_days * DAY_MS)
    const row = { id, email, role, token_hash: hashToken(token), invited_by: by, expires_at }
    await upsertInvitation(tx, orgId, { ...row, created_at: now })
    const facts = { action: 'invitation.created', target: email, details: { role } }
    await audit(tx, options, orgId, { ...facts, actor_user_id: by })
    return { id, email, token, expires_at: expires_at.toISOString() }
  })
}

type Refusal = { refused: AcceptRefused }
type UserOf = (tx: Db, invitation: OpenInvitation) => Promise<string | Refusal>

/** Atomic: a second call with the token waits for the lock and then finds the invitation used. */
async function accept(
  options: InvitationOptions,
  token: string,
  { org_id }: OpenInvitation,
  userOf: UserOf,
): Promise<Joined | Refusal> {
  return await options.db.transaction().execute(async (tx) => {
    const exists = await lockOrganization(tx, org_id)
    const now = options.clock.now()
    const invitation = exists ? await findOpenInvitation(tx, hashToken(token), now) : undefined
    if (!invitation) return { refused: 'not_found' }
    const user_id = await userOf(tx, invitation)
    if (typeof user_id !== 'string') return user_id
    const { role } = invitation
    await deleteInvitation(tx, org_id, invitation.id)
    const before = await findMembership(tx, org_id, user_id)
    if (!before) await upsertMembership(tx, org_id, { user_id, role, created_at: now })
    const { email = invitation.email } = (await findUser(tx, user_id)) ?? {}
    const facts = { action: 'invitation.accepted', target: email, details: { role } }
    await audit(tx, options, org_id, { ...facts, actor_user_id: user_id })
    return { org_id, email }
  })
}

async function audit(
  tx: Db,
  { clock, newId }: InvitationOptions,
  orgId: string,
  facts: Omit<Parameters<typeof insertAudit>[2], 'id' | 'at'>,
): Promise<void> {
  const at = clock.now()
  await insertAudit(tx, orgId, { id: newId(at), at, ...facts })
}
