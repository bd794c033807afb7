/**
 * Invitations by a link that works once. Its holder becomes a member, either with a new account for
 * the invited e-mail or with an account that has this e-mail if the holder knows its password. With a
 * mail server, the link is sent to the address and proves it. Otherwise it is shown once, to the
 * inviter, and proves nothing. It neither takes the address from others nor reveals whether they have
 * an account.
 */
import type { Clock } from '../../../platform/clock.ts'
import { hashToken, isToken, newToken } from '../../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { insertAudit } from '../../audit/index.ts'
import { emailFault, type PasswordFault, passwordFault } from '../credentials.ts'
import type { AccountMails } from '../mail/account-mails.ts'
import { deleteMailsAbout } from '../mail/queue.store.ts'
import { LINK_PREFIXES } from '../mail/templates.ts'
import { mayInvite } from '../members/rules.ts'
import type { Passwords } from '../passwords.ts'
import { findAccount } from '../same-email.ts'
import type { CreatedInvitation, Invitation, InvitationPreview } from '../schema.ts'
import {
  findMembership,
  findOrganization,
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

export type InviteRefused =
  | 'not_found'
  | 'forbidden'
  | 'email_invalid'
  | 'is_member'
  | 'too_many'
  | 'no_mail'
/** By default by e-mail where there is a mail server. */
export type Delivery = 'mail' | 'link'
export type NewInvitation = { email: string; role: Role; delivery?: Delivery }
export type AcceptRefused = PasswordFault | 'not_found' | 'other_user'
/** The organization that the user has joined. */
export type Joined = { org_id: string; email: string }

export type Invitations = {
  /** Inviting an address again creates a new link; the old one stops working. */
  invite(
    orgId: string,
    invitation: NewInvitation,
    by: string,
  ): Promise<CreatedInvitation | { refused: InviteRefused }>
  /** Newest first, including expired ones. */
  listInvitations(orgId: string): Promise<Invitation[]>
  /** @returns false when the invitation does not exist */
  revokeInvitation(orgId: string, id: string, by: string): Promise<boolean>
  /** @returns undefined when the token cannot be accepted, for any reason */
  previewInvitation(token: string): Promise<InvitationPreview | undefined>
  /**
   * Joins with a new account for the invited e-mail. An account with this
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
  /** Undefined where the operator configured no mail server. */
  mails?: AccountMails | undefined
}

export const INVITATIONS_MAX = 200
const PREFIX = LINK_PREFIXES.invitation

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
        await deleteMailsAbout(tx, id, ['invitation'])
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
        const isProved =
          found.is_mailed && (await insertUser(tx, { ...user, email_proved_at: now }))
        // Another account may have proved the address.
        if (!isProved) await insertUser(tx, { ...user, email_proved_at: null })
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
  invitation: NewInvitation,
  by: string,
): Promise<CreatedInvitation | { refused: InviteRefused }> {
  const { role, delivery = options.mails ? 'mail' : 'link' } = invitation
  const mails = delivery === 'mail' ? options.mails : undefined
  const email = invitation.email.trim()
  if (!isUuid(orgId)) return { refused: 'not_found' }
  if (emailFault(email)) return { refused: 'email_invalid' }
  if (delivery === 'mail' && !mails) return { refused: 'no_mail' }
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
    const token = mails ? null : newToken(PREFIX)
    const id = options.newId(now)
    const expires_at = new Date(now.getTime() + options.invitation_days * DAY_MS)
    const link = { orgId, by, id, email, role, expires_at }
    const token_hash = mails ? await mailLink(tx, options, mails, link) : hashToken(token ?? '')
    const is_mailed = mails !== undefined
    const row = { id, email, role, token_hash, is_mailed, invited_by: by, expires_at }
    await upsertInvitation(tx, orgId, { ...row, created_at: now })
    const facts = { action: 'invitation.created', target: email, details: { role } }
    await audit(tx, options, orgId, { ...facts, actor_user_id: by })
    return { id, email, token, is_mailed, expires_at: expires_at.toISOString() }
  })
}

type Link = {
  orgId: string
  by: string
  id: string
  email: string
  role: Role
  expires_at: Date
}

/** @returns the hash of the token */
async function mailLink(
  tx: Db,
  { invitation_days }: InvitationOptions,
  mails: AccountMails,
  { orgId, by, id, email, role, expires_at }: Link,
): Promise<Buffer> {
  const { name = '' } = (await findOrganization(tx, orgId)) ?? {}
  const { email: inviter = 'An administrator' } = (await findUser(tx, by)) ?? {}
  const details = { organization: name, inviter, role, days: String(invitation_days) }
  const mail = { kind: 'invitation', to: email, subject_id: id, details, expires_at } as const
  return await mails.addLink(tx, mail)
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
