/**
 * Browsers in which a user has signed in before. A signed cookie says so and gives them
 * separate sign-in attempts, which attackers who know the e-mail cannot use up (OP-136). The cookie is no
 * credential: it signs no one in. It stops counting when the password changes.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { networkOf } from '../../../platform/http/client-ip.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { findUserWithEmail, type User } from '../store.ts'

/**
 * @property password_mark another one after a new password
 * @property browser_id the same for all users of the browser; undefined in cookies of earlier versions
 */
export type KnownBrowser = { user_id: string; password_mark: string; browser_id?: string }

export type KnownBrowsers = {
  sign(user: User, browserId: string | null, now: Date): Promise<string>
  /** @returns undefined unless the cookie was signed here and is valid at `now` */
  read(cookie: string, now: Date): Promise<KnownBrowser | undefined>
  /** Programs have no cookie: their name and network stand for it. */
  programId(address: string, userAgent: string): string
  /** Whether the cookie belongs to an account with this e-mail, and to its current password. */
  isOf(db: Db, known: KnownBrowser, email: string): Promise<boolean>
}

export const KNOWN_BROWSER_DAYS = 365

const PROGRAM_CHARS = 22
const ALGORITHM = 'HS256'
/** Other than that of access tokens, so that neither is accepted as the other. */
const TYPE = 'known-browser+jwt'

/** @param secret at least 32 bytes, the same on every node */
export function createKnownBrowsers(secret: Buffer): KnownBrowsers {
  const key = createSecretKey(secret)
  const markOf = ({ password_hash }: User) =>
    createHmac('sha256', secret).update(password_hash).digest('base64url')
  return {
    sign: async (user, browserId, now) =>
      await new SignJWT({ password: markOf(user), ...(browserId !== null && { bid: browserId }) })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setSubject(user.id)
        .setExpirationTime(new Date(now.getTime() + KNOWN_BROWSER_DAYS * DAY_MS))
        .sign(key),
    read: async (cookie, now) => {
      try {
        const options = { algorithms: [ALGORITHM], typ: TYPE, currentDate: now }
        const { payload } = await jwtVerify(cookie, key, options)
        const { sub: user_id, password: password_mark, bid } = payload
        if (user_id === undefined || typeof password_mark !== 'string') return undefined
        return { user_id, password_mark, ...(typeof bid === 'string' && { browser_id: bid }) }
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
    programId: (address, userAgent) => {
      const mark = createHmac('sha256', secret).update(`${networkOf(address)}\0${userAgent}`)
      return `program:${mark.digest('base64url').slice(0, PROGRAM_CHARS)}`
    },
    isOf: async (db, { user_id, password_mark }, email) => {
      const user = await findUserWithEmail(db, user_id, email)
      return user !== undefined && isEqual(markOf(user), password_mark)
    },
  }
}

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
