/**
 * Another e-mail address for an account. It needs the password, a recent proof of the second factor, and a
 * confirmation from the old and from the new address; either can cancel it.
 */
import type { Clock } from '../../../platform/clock.ts'
import { hashToken, isToken } from '../../../platform/crypto/tokens.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { emailFault } from '../credentials.ts'
import { endLinksOf } from '../links.store.ts'
import type { AccountMails } from '../mail/account-mails.ts'
import { deleteMailsAbout } from '../mail/queue.store.ts'
import { LINK_PREFIXES } from '../mail/templates.ts'
import type { Passwords } from '../passwords.ts'
import type { EmailChange, EmailChangePreview } from '../schema.ts'
import { auditOfUser } from '../second-factor/audit.ts'
import { hasSecondFactor } from '../second-factor/store.ts'
import type { ProvedFactor } from '../sessions/existing-sessions.ts'
import { deleteSessionsOfUser } from '../sessions/store.ts'
import { findUser } from '../store.ts'
import {
  deleteChange,
  findChange,
  findChangeOf,
  markConfirmed,
  updateEmail,
  upsertChange,
} from './store.ts'

export type EmailChangeRefused =
  | 'no_mail'
  | 'email_invalid'
  | 'is_same'
  | 'wrong_password'
  | 'unproved'
type SignedIn = { user_id: string; factor?: ProvedFactor | undefined }

export type EmailChanges = {
  /** @returns null when there is none */
  findEmailChange(userId: string): Promise<EmailChange | null>
  /**
   * Sends a link to both addresses. Does the same for an address that another account has.
   * @throws PasswordsBusyError
   */
  beginEmailChange(
    who: SignedIn,
    wanted: { email: string; password: string },
  ): Promise<'done' | { refused: EmailChangeRefused }>
  /** @returns false when there is none */
  cancelEmailChange(userId: string): Promise<boolean>
  previewEmailChange(token: string): Promise<EmailChangePreview | undefined>
  /** Confirms for the address that the link was sent to. */
  confirmEmailChange(token: string): Promise<'complete' | 'waiting' | 'not_found' | 'taken'>
  cancelEmailChangeByLink(token: string): Promise<boolean>
  /** For the operator, who has verified the owner of both addresses. Ends all sessions. */
  setEmail(
    userId: string,
    email: string,
  ): Promise<'done' | { refused: 'not_found' | 'email_invalid' | 'email_taken' }>
}

export type EmailChangeOptions = {
  db: Database
  newId: NewId
  clock: Clock
  passwords: Passwords
  mails?: AccountMails | undefined
}

const PREFIX = LINK_PREFIXES.email_change_old
const MAIL_KINDS = ['email_change_old', 'email_change_new']
const OPEN_MS = DAY_MS

export function createEmailChanges(options: EmailChangeOptions): EmailChanges {
  const { db, clock } = options
  const inTransaction = async <T>(run: (tx: Db) => Promise<T>): Promise<T> =>
    await db.transaction().execute(run)
  const cancel = async (tx: Db, userId: string): Promise<boolean> => {
    if (!(await deleteChange(tx, userId))) return false
    await deleteMailsAbout(tx, userId, MAIL_KINDS)
    await auditOfUser(tx, options, userId, 'email.change_canceled', userId)
    return true
  }
  return {
    findEmailChange: async (userId) => {
      const change = await findChangeOf(db, userId, clock.now())
      return change ? described(change) : null
    },
    beginEmailChange: async (who, wanted) => await begin(options, who, wanted),
    cancelEmailChange: async (userId) => await inTransaction((tx) => cancel(tx, userId)),
    previewEmailChange: async (token) => {
      if (!isToken(token, PREFIX)) return undefined
      const found = await findChange(db, hashToken(token), clock.now())
      return found && { ...described(found), former: found.former, side: found.side }
    },
    confirmEmailChange: async (token) =>
      isToken(token, PREFIX)
        ? await inTransaction((tx) => confirm(tx, options, hashToken(token)))
        : 'not_found',
    cancelEmailChangeByLink: async (token) => {
      if (!isToken(token, PREFIX)) return false
      return await inTransaction(async (tx) => {
        const found = await findChange(tx, hashToken(token), clock.now(), true)
        return found !== undefined && (await cancel(tx, found.user_id))
      })
    },
    setEmail: async (userId, email) => {
      if (emailFault(email)) return { refused: 'email_invalid' }
      return await inTransaction(async (tx) => {
        const former = (await findUser(tx, userId))?.email
        if (former === undefined) return { refused: 'not_found' }
        if (!(await complete(tx, options, { user_id: userId, email, former }, null))) {
          return { refused: 'email_taken' }
        }
        await deleteSessionsOfUser(tx, userId)
        return 'done'
      })
    },
  }
}

const described = (change: {
  email: string
  old_confirmed_at: Date | null
  new_confirmed_at: Date | null
  expires_at: Date
}): EmailChange => ({
  email: change.email,
  is_confirmed_by_old: change.old_confirmed_at !== null,
  is_confirmed_by_new: change.new_confirmed_at !== null,
  expires_at: change.expires_at.toISOString(),
})

async function begin(
  options: EmailChangeOptions,
  { user_id, factor }: SignedIn,
  { email: sent, password }: { email: string; password: string },
): Promise<'done' | { refused: EmailChangeRefused }> {
  const { db, clock, passwords, mails } = options
  if (!mails) return { refused: 'no_mail' }
  const email = sent.trim()
  if (emailFault(email)) return { refused: 'email_invalid' }
  const user = await findUser(db, user_id)
  const matches = await passwords.verify(password, user?.password_hash)
  if (!user || !matches) return { refused: 'wrong_password' }
  if (factor !== 'fresh' && (await hasSecondFactor(db, user_id))) return { refused: 'unproved' }
  if (user.email === email) return { refused: 'is_same' }
  return await db.transaction().execute(async (tx) => {
    const now = clock.now()
    const expires_at = new Date(now.getTime() + OPEN_MS)
    await deleteMailsAbout(tx, user_id, MAIL_KINDS)
    const mail = { subject_id: user_id, expires_at }
    const old_token_hash = await mails.addLink(tx, {
      ...mail,
      kind: 'email_change_old',
      to: user.email,
      details: { email },
    })
    const new_token_hash = await mails.addLink(tx, {
      ...mail,
      kind: 'email_change_new',
      to: email,
      details: { former: user.email },
    })
    const hashes = { old_token_hash, new_token_hash }
    await upsertChange(tx, { user_id, email, ...hashes, created_at: now, expires_at })
    await auditOfUser(tx, options, user_id, 'email.change_requested', user_id, { to: email })
    return 'done' as const
  })
}

async function confirm(
  tx: Db,
  options: EmailChangeOptions,
  tokenHash: Buffer,
): Promise<'complete' | 'waiting' | 'not_found' | 'taken'> {
  const now = options.clock.now()
  const found = await findChange(tx, tokenHash, now, true)
  if (!found) return 'not_found'
  const { user_id, email, former, side } = found
  const other = side === 'old' ? found.new_confirmed_at : found.old_confirmed_at
  if (other === null) {
    await markConfirmed(tx, user_id, side, now)
    return 'waiting'
  }
  return (await complete(tx, options, { user_id, email, former }, user_id)) ? 'complete' : 'taken'
}

/**
 * @param by null for the operator
 * @returns false when another account has proved the address
 */
async function complete(
  tx: Db,
  options: EmailChangeOptions,
  { user_id, email, former }: { user_id: string; email: string; former: string },
  by: string | null,
): Promise<boolean> {
  if (!(await updateEmail(tx, user_id, email, options.clock.now()))) return false
  // Also links for a new password that the former address got.
  await endLinksOf(tx, user_id)
  const details = { from: former, to: email }
  await auditOfUser(tx, options, user_id, 'email.changed', by, details)
  const notice = { kind: 'email_changed', to: former, subject_id: user_id } as const
  await options.mails?.add(tx, { ...notice, details: { email } })
  return true
}
