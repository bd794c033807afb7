/**
 * Invitations by a link that works once. Whoever has the link becomes a member: with a new account
 * for the e-mail that was invited, or signed in as that e-mail. The link is told once, to the one
 * who invites; nothing is sent.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import { isToken, newToken } from '../../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { Role } from '../../../platform/postgres/tables/accounts.ts'
import { insertAudit } from '../../audit/index.ts'
import { type CredentialFault, emailFault, passwordFault } from '../credentials.ts'
import { mayInvite } from '../members/rules.ts'
import type { Passwords } from '../passwords.ts'
import type { CreatedInvitation, Invitation, ShownInvitation } from '../schema.ts'
import {
  findMembership,
  findUser,
  findUserByEmail,
  insertUser,
  lockOrganization,
  upsertMembership,
} from '../store.ts'
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
export type AcceptRefused = CredentialFault | 'not_found' | 'email_taken' | 'other_user'
/** What the user is a member of now. */
export type Joined = { org_id: string; email: string }

export type Invitations = {
  /** An address that is invited again gets a new link; the old one stops working. */
  invite(
    orgId: string,
    invitation: { email: string; role: Role },
    by: string,
  ): Promise<CreatedInvitation | { refused: InviteRefused }>
  /** Newest first, expired ones included. */
  listInvitations(orgId: string): Promise<Invitation[]>
  /** @returns false when there is no such invitation */
  revokeInvitation(orgId: string, id: string, by: string): Promise<boolean>
  /** @returns undefined when the token is none that can be accepted, whatever the reason */
  showInvitation(token: string): Promise<ShownInvitation | undefined>
  /**
   * With a new account; of several at once with one token, one.
   * @throws PasswordsBusyError when too many are signing in
   */
  acceptAsNewUser(token: string, password: string): Promise<Joined | { refused: AcceptRefused }>
  /** As a user who has the e-mail that was invited. Who is a member already keeps the role. */
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
const DAY_MS = 86_400_000

export function createInvitations(options: InvitationOptions): Invitations {
  const { db, clock, newId, passwords } = options
  const find = async (token: string): Promise<OpenInvitation | undefined> =>
    isToken(token, PREFIX) ? await findOpenInvitation(db, hashOf(token), clock.now()) : undefined

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
    showInvitation: async (token) => {
      const found = await find(token)
      if (!found) return undefined
      const { organization, email, role, expires_at } = found
      const has_account = (await findUserByEmail(db, email)) !== undefined
      return { organization, email, role, expires_at: expires_at.toISOString(), has_account }
    },
    acceptAsNewUser: async (token, password) => {
      const found = await find(token)
      if (!found) return { refused: 'not_found' }
      const fault = passwordFault(password)
      if (fault) return { refused: fault }
      const password_hash = await passwords.hash(password)
      return await accept(options, token, found, async (tx, { email }) => {
        const now = clock.now()
        const user = { id: newId(now), email, password_hash, created_at: now }
        return (await insertUser(tx, user)) ? user.id : { refused: 'email_taken' }
      })
    },
    acceptAs: async (token, userId) => {
      const found = await find(token)
      if (!found) return { refused: 'not_found' }
      return await accept(options, token, found, async (tx, { email }) => {
        const invited = await findUserByEmail(tx, email)
        return invited?.id === userId ? userId : { refused: 'other_user' }
      })
    },
  }
}

async function invite(
  options: InvitationOptions,
  orgId: string,
  { email: given, role }: { email: string; role: Role },
  by: string,
): Promise<CreatedInvitation | { refused: InviteRefused }> {
  const email = given.trim()
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
    await upsertInvitation(tx, orgId, {
      id,
      email,
      role,
      token_hash: hashOf(token),
      invited_by: by,
      expires_at,
      created_at: now,
    })
    const facts = { action: 'invitation.created', target: email, details: { role } }
    await audit(tx, options, orgId, { ...facts, actor_user_id: by })
    return { id, email, token, expires_at: expires_at.toISOString() }
  })
}

type Refusal = { refused: AcceptRefused }
type UserOf = (tx: Db, invitation: OpenInvitation) => Promise<string | Refusal>

/** All or nothing. Whoever comes second with a token finds under the lock that it is used. */
async function accept(
  options: InvitationOptions,
  token: string,
  { org_id }: OpenInvitation,
  userOf: UserOf,
): Promise<Joined | Refusal> {
  return await options.db.transaction().execute(async (tx) => {
    const isThere = await lockOrganization(tx, org_id)
    const now = options.clock.now()
    const invitation = isThere ? await findOpenInvitation(tx, hashOf(token), now) : undefined
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
  facts: {
    action: string
    actor_user_id: string
    target: string
    details: Record<string, unknown>
  },
): Promise<void> {
  const at = clock.now()
  await insertAudit(tx, orgId, { id: newId(at), at, ...facts })
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
