/**
 * New passwords by a link that works once: by e-mail for the person who has the mailbox, or, without a mail
 * server, as a link that an admin is shown. It ends all sessions and does not replace the second factor.
 */
import type { Clock } from '../../../platform/clock.ts'
import { hashToken, isToken, newToken } from '../../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import { emailFault, type PasswordFault, passwordFault } from '../credentials.ts'
import type { AccountMails } from '../mail/account-mails.ts'
import { LINK_PREFIXES } from '../mail/templates.ts'
import { mayChange } from '../members/rules.ts'
import type { Passwords } from '../passwords.ts'
import type { ResetLink, ResetPreview } from '../schema.ts'
import { auditOfUser } from '../second-factor/audit.ts'
import { deleteSessionsOfUser } from '../sessions/store.ts'
import { findMembership, findUser, updatePassword } from '../store.ts'
import { RESET_MS, RESETS_MAX } from './expansion.ts'
import { belongsElsewhere, countResets, findReset, insertReset, lockUser } from './store.ts'

export type ResetRefused = 'not_found' | 'forbidden' | 'is_self' | 'elsewhere' | 'too_many'

export type PasswordResets = {
  /**
   * Does the same for every address; a mail follows where there is an account.
   * @returns false when there is no mail server
   */
  requestReset(email: string): Promise<boolean>
  /** For an admin: sends a mail to the member, or returns a link where there is no mail server. */
  resetMember(
    orgId: string,
    userId: string,
    by: string,
  ): Promise<ResetLink | { refused: ResetRefused }>
  /** @returns undefined when the link cannot be used, for any reason */
  previewReset(token: string): Promise<ResetPreview | undefined>
  /** @throws PasswordsBusyError */
  resetPassword(
    token: string,
    password: string,
  ): Promise<'done' | { refused: PasswordFault | 'not_found' }>
}

export type ResetOptions = {
  db: Database
  newId: NewId
  clock: Clock
  passwords: Passwords
  /** Undefined where the operator configured no mail server. */
  mails?: AccountMails | undefined
}

const PREFIX = LINK_PREFIXES.password_reset

export function createPasswordResets(options: ResetOptions): PasswordResets {
  const { db, clock, passwords, mails } = options
  return {
    requestReset: async (email) => {
      if (!mails) return false
      const to = email.trim()
      // PostgreSQL rejects some characters in a text.
      if (emailFault(to) !== undefined) return true
      const expires_at = new Date(clock.now().getTime() + RESET_MS)
      await mails.add(db, { kind: 'reset_request', to, expires_at })
      return true
    },
    resetMember: async (orgId, userId, by) => await resetMember(options, orgId, userId, by),
    previewReset: async (token) => {
      if (!isToken(token, PREFIX)) return undefined
      const found = await findReset(db, hashToken(token), clock.now())
      return found && { email: found.email }
    },
    resetPassword: async (token, password) => {
      if (!isToken(token, PREFIX)) return { refused: 'not_found' }
      const token_hash = hashToken(token)
      const open = await findReset(db, token_hash, clock.now())
      if (!open) return { refused: 'not_found' }
      const fault = await passwordFault(password, open.email)
      if (fault) return { refused: fault }
      const hash = await passwords.hash(password)
      return await db.transaction().execute(async (tx) => {
        await lockUser(tx, open.user_id)
        // Read again under the lock: of concurrent uses one succeeds.
        const found = await findReset(tx, token_hash, clock.now())
        if (!found) return { refused: 'not_found' }
        const { user_id, email } = found
        await updatePassword(tx, user_id, hash)
        await deleteSessionsOfUser(tx, user_id)
        await auditOfUser(tx, options, user_id, 'password.replaced', user_id)
        await mails?.add(tx, { kind: 'password_changed', to: email, subject_id: user_id })
        return 'done' as const
      })
    },
  }
}

async function resetMember(
  options: ResetOptions,
  orgId: string,
  userId: string,
  by: string,
): Promise<ResetLink | { refused: ResetRefused }> {
  const { db, clock, newId, mails } = options
  if (!isUuid(orgId) || !isUuid(userId)) return { refused: 'not_found' }
  if (userId === by) return { refused: 'is_self' }
  return await db.transaction().execute(async (tx) => {
    await lockUser(tx, userId)
    const member = await findMembership(tx, orgId, userId)
    const actor = await findMembership(tx, orgId, by)
    const user = await findUser(tx, userId)
    if (!member || !actor || !user) return { refused: 'not_found' }
    const change = { actor: actor.role, before: member.role, next: undefined, is_self: false }
    if (!mayChange(change)) return { refused: 'forbidden' }
    if (!mails && (await belongsElsewhere(tx, userId, orgId))) return { refused: 'elsewhere' }
    const now = clock.now()
    const since = new Date(now.getTime() - RESET_MS)
    if ((await countResets(tx, userId, since)) >= RESETS_MAX) return { refused: 'too_many' }
    const expires_at = new Date(now.getTime() + RESET_MS)
    const token = mails ? null : newToken(PREFIX)
    const mail = { kind: 'password_reset', to: user.email, subject_id: userId, expires_at } as const
    const token_hash = mails ? await mails.addLink(tx, mail) : hashToken(token ?? '')
    const org_id = mails ? null : orgId
    await insertReset(tx, { token_hash, user_id: userId, org_id, created_at: now, expires_at })
    const facts = { action: 'password.reset_requested', actor_user_id: by, target: user.email }
    await insertAudit(tx, orgId, { id: newId(now), at: now, ...facts })
    return { email: user.email, token, expires_at: expires_at.toISOString() }
  })
}
