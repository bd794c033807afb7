/**
 * The second factor of a user: codes of an authenticator app, and recovery codes in their place, each of
 * which works once. After several wrong codes all codes are refused for a while, which only a person who
 * knows the password can cause.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import type { Passwords } from '../passwords.ts'
import { forgetProofs, markFactorProved } from '../sessions/store.ts'
import { findUser } from '../store.ts'
import { auditOfUser } from './audit.ts'
import {
  deletePasskeysOf,
  deleteSecondFactor,
  describeSecondFactor,
  hasSecondFactor,
  insertSecondFactor,
  lockSecondFactor,
  replaceRecoveryCodes,
  type SecondFactorRow,
  type SecondFactorState,
  updateSecondFactor,
  useRecoveryCode,
} from './store.ts'
import { base32, stepOf, totpUri } from './totp.ts'

export type RefusedCode = 'required' | 'wrong' | 'blocked'
/** `is_off`: the user has no second factor. `passkey`: only passkeys. */
export type CodeOutcome = 'accepted' | 'is_off' | 'passkey' | RefusedCode
export type SecondFactorRefused = 'wrong_password' | 'is_on' | 'is_off' | RefusedCode

/** The secret as text and in the address of a QR code, which are only returned here. */
export type NewSecret = { secret: string; uri: string }

export type SignedInUser = { user_id: string; session_id?: string }

export type SecondFactors = {
  describeSecondFactor(userId: string): Promise<SecondFactorState>
  /** @throws PasswordsBusyError */
  beginSecondFactor(
    userId: string,
    password: string,
  ): Promise<NewSecret | { refused: SecondFactorRefused }>
  /** Turns it on. @returns recovery codes, which are only returned here */
  confirmSecondFactor(
    who: SignedInUser,
    code: string,
  ): Promise<string[] | { refused: SecondFactorRefused }>
  /** Replaces the recovery codes. */
  renewRecoveryCodes(
    userId: string,
    code: string,
  ): Promise<string[] | { refused: SecondFactorRefused }>
  removeSecondFactor(
    userId: string,
    code: string,
  ): Promise<'done' | { refused: SecondFactorRefused }>
  /** For the operator, without a code. Removes passkeys, too. @returns false when the user has none */
  dropSecondFactor(userId: string): Promise<boolean>
  /** Notes a proof in the session, which changes of consequence need. */
  proveSecondFactor(
    who: SignedInUser,
    code: string,
  ): Promise<'done' | { refused: SecondFactorRefused }>
  checkCode(userId: string, code: string | undefined): Promise<CodeOutcome>
}

export type SecondFactorOptions = {
  db: Database
  newId: NewId
  clock: Clock
  passwords: Passwords
  sealer: Sealer
}

const SECRET_BYTES = 20
const RECOVERY_CODES = 10
/** 80 bits. */
const RECOVERY_BYTES = 10
export const WRONG_CODES_MAX = 10
export const BLOCK_MS = 15 * MINUTE_MS

export function createSecondFactors(options: SecondFactorOptions): SecondFactors {
  const { db, clock, passwords, sealer } = options
  const inTransaction = async <T>(run: (tx: Db) => Promise<T>): Promise<T> =>
    await db.transaction().execute(run)
  /** Wrong codes are counted by the transaction, so it must not be rolled back because of one. */
  const withCode = async <T>(
    userId: string,
    code: string,
    change: (tx: Db) => Promise<T>,
  ): Promise<T | { refused: SecondFactorRefused }> =>
    await inTransaction(async (tx) => {
      const row = await lockSecondFactor(tx, userId)
      if (!row || row.confirmed_at === null) return { refused: 'is_off' }
      const outcome = await use(tx, options, row, code)
      return outcome === 'accepted' ? await change(tx) : { refused: outcome }
    })

  return {
    describeSecondFactor: async (userId) => await describeSecondFactor(db, userId),
    beginSecondFactor: async (userId, password) => {
      const user = await findUser(db, userId)
      const matches = await passwords.verify(password, user?.password_hash)
      if (!user || !matches) return { refused: 'wrong_password' }
      const plain = randomBytes(SECRET_BYTES)
      const secret = await sealer.seal(plain, contextOf(userId))
      const row = { user_id: userId, secret, created_at: clock.now() }
      if (!(await insertSecondFactor(db, row))) return { refused: 'is_on' }
      return { secret: base32(plain), uri: totpUri(plain, user.email) }
    },
    confirmSecondFactor: async ({ user_id: userId, session_id }, code) =>
      await inTransaction(async (tx) => {
        const row = await lockSecondFactor(tx, userId)
        if (!row) return { refused: 'is_off' }
        if (row.confirmed_at !== null) return { refused: 'is_on' }
        const outcome = await use(tx, options, row, code)
        if (outcome !== 'accepted') return { refused: outcome }
        await updateSecondFactor(tx, userId, { confirmed_at: clock.now() })
        await markFactorProved(tx, userId, session_id, clock.now())
        await auditOfUser(tx, options, userId, 'second_factor.enabled', userId)
        return await newRecoveryCodes(tx, userId)
      }),
    renewRecoveryCodes: async (userId, code) =>
      await withCode(userId, code, async (tx) => {
        await auditOfUser(tx, options, userId, 'second_factor.recovery_codes_renewed', userId)
        return await newRecoveryCodes(tx, userId)
      }),
    removeSecondFactor: async (userId, code) =>
      await withCode(userId, code, async (tx) => {
        await deleteSecondFactor(tx, userId)
        if (!(await hasSecondFactor(tx, userId))) await forgetProofs(tx, userId)
        await auditOfUser(tx, options, userId, 'second_factor.removed', userId)
        return 'done' as const
      }),
    dropSecondFactor: async (userId) =>
      await inTransaction(async (tx) => {
        const hadPasskeys = await deletePasskeysOf(tx, userId)
        if (!(await deleteSecondFactor(tx, userId)) && !hadPasskeys) return false
        await forgetProofs(tx, userId)
        await auditOfUser(tx, options, userId, 'second_factor.removed', null)
        return true
      }),
    proveSecondFactor: async ({ user_id, session_id }, code) =>
      await withCode(user_id, code, async (tx) => {
        await markFactorProved(tx, user_id, session_id, clock.now())
        return 'done' as const
      }),
    checkCode: async (userId, code) =>
      await inTransaction(async (tx) => {
        const row = await lockSecondFactor(tx, userId)
        if (!row || row.confirmed_at === null) {
          return (await hasSecondFactor(tx, userId)) ? 'passkey' : 'is_off'
        }
        return code === undefined ? 'required' : await use(tx, options, row, code)
      }),
  }
}

const contextOf = (userId: string): string => `second_factor:${userId}`

/** Uses up an accepted code and counts a wrong one. Requires the lock of the row. */
async function use(
  tx: Db,
  { clock, sealer }: SecondFactorOptions,
  row: SecondFactorRow,
  code: string,
): Promise<'accepted' | 'wrong' | 'blocked'> {
  const { user_id, last_step, failures_since } = row
  const now = clock.now()
  const isRecent = failures_since !== null && now.getTime() - failures_since.getTime() < BLOCK_MS
  const failures = isRecent ? row.failures : 0
  if (failures >= WRONG_CODES_MAX) return 'blocked'
  const text = code.replaceAll(/[\s-]/g, '').toUpperCase()
  const secret = await sealer.open(row.secret, contextOf(user_id))
  const step = stepOf(secret, text, now, last_step)
  if (step !== undefined || (await useRecoveryCode(tx, user_id, hashToken(text)))) {
    const used = step === undefined ? {} : { last_step: step }
    await updateSecondFactor(tx, user_id, { ...used, failures: 0, failures_since: null })
    return 'accepted'
  }
  const since = isRecent ? failures_since : now
  await updateSecondFactor(tx, user_id, { failures: failures + 1, failures_since: since })
  return 'wrong'
}

async function newRecoveryCodes(tx: Db, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => base32(randomBytes(RECOVERY_BYTES)))
  await replaceRecoveryCodes(tx, userId, codes.map(hashToken))
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-').toLowerCase())
}
