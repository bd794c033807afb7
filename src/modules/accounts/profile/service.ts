/** The password and the sessions of the signed-in user. */
import type { Clock } from '../../../platform/clock.ts'
import { browserName } from '../../../platform/http/browser-name.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { type PasswordFault, passwordFault } from '../credentials.ts'
import type { AccountMails } from '../mail/account-mails.ts'
import type { Passwords } from '../passwords.ts'
import type { OwnSession } from '../schema.ts'
import { auditOfUser } from '../second-factor/audit.ts'
import { deleteOtherSessions, deleteOwnSession, listSessions } from '../sessions/store.ts'
import { findUser, updatePassword } from '../store.ts'

export type PasswordRefused = PasswordFault | 'wrong_password'

export type Profile = {
  /**
   * Ends all other sessions.
   * @throws PasswordsBusyError when too many sign-ins are waiting
   */
  changePassword(
    who: { user_id: string; session_id: string | undefined },
    passwords: { current: string; next: string },
  ): Promise<'done' | { refused: PasswordRefused }>
  /** Sessions that can be refreshed, last seen first. */
  listSessions(userId: string, sessionId: string | undefined): Promise<OwnSession[]>
  /** @returns false when the user has no such session */
  endSession(userId: string, sessionId: string): Promise<boolean>
  /** @returns the number of ended sessions */
  endOtherSessions(userId: string, sessionId: string | undefined): Promise<number>
}

type Options = {
  db: Database
  newId: NewId
  clock: Clock
  passwords: Passwords
  mails?: AccountMails | undefined
}

export function createProfile(options: Options): Profile {
  const { db, passwords } = options
  return {
    changePassword: async ({ user_id, session_id }, { current, next }) => {
      const user = await findUser(db, user_id)
      const matches = await passwords.verify(current, user?.password_hash)
      if (!user || !matches) return { refused: 'wrong_password' }
      const fault = await passwordFault(next, user.email)
      if (fault) return { refused: fault }
      const hash = await passwords.hash(next)
      return await db.transaction().execute(async (tx) => {
        await updatePassword(tx, user_id, hash)
        await deleteOtherSessions(tx, user_id, session_id)
        await auditOfUser(tx, options, user_id, 'password.changed', user_id)
        const notice = { kind: 'password_changed', to: user.email, subject_id: user_id } as const
        await options.mails?.add(tx, notice)
        return 'done' as const
      })
    },
    listSessions: async (userId, sessionId) => {
      const sessions = await listSessions(db, userId)
      return sessions.map(({ created_at, last_seen_at, ...session }) => ({
        ...session,
        browser: browserName(session.user_agent),
        created_at: created_at.toISOString(),
        last_seen_at: (last_seen_at ?? created_at).toISOString(),
        is_current: session.id === sessionId,
      }))
    },
    endSession: async (userId, sessionId) => {
      if (!isUuid(sessionId)) return false
      return await db.transaction().execute(async (tx) => {
        const isEnded = await deleteOwnSession(tx, userId, sessionId)
        if (isEnded) await auditOfUser(tx, options, userId, 'session.ended', userId)
        return isEnded
      })
    },
    endOtherSessions: async (userId, sessionId) =>
      await db.transaction().execute(async (tx) => {
        const ended = await deleteOtherSessions(tx, userId, sessionId)
        const details = { sessions: ended }
        if (ended > 0)
          await auditOfUser(tx, options, userId, 'session.others_ended', userId, details)
        return ended
      }),
  }
}
