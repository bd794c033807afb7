/**
 * Passkeys of users (WebAuthn): a key pair of a device, which signs a challenge after the user has unlocked it. It
 * proves possession together with knowledge or a fingerprint, so it replaces the password and the code.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import type { Passwords } from '../passwords.ts'
import type { OwnPasskey } from '../schema.ts'
import { auditOfUser } from '../second-factor/audit.ts'
import { hasSecondFactor } from '../second-factor/store.ts'
import type { ProvedFactor } from '../sessions/existing-sessions.ts'
import { forgetProofs, markFactorProved } from '../sessions/store.ts'
import { findUser } from '../store.ts'
import {
  deletePasskey,
  findPasskey,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  lockPasskeysOf,
  markPasskeyUsed,
  renamePasskey,
  useChallenge,
} from './store.ts'

/** The console in the view of the browser. */
export type Site = { host_name: string; origin: string }
export type SignedInUser = {
  user_id: string
  session_id?: string
  factor?: ProvedFactor | undefined
}
export type PasskeyRefused = 'wrong_password' | 'unproved' | 'too_many' | 'invalid'
type OrRefused<T> = Promise<T | { refused: PasskeyRefused }>

export type Passkeys = {
  listPasskeys(userId: string): Promise<OwnPasskey[]>
  /**
   * Needs the password, and a recent proof from users who have a second factor.
   * @returns options for the browser
   * @throws PasswordsBusyError
   */
  beginPasskey(who: SignedInUser, password: string, site: Site): OrRefused<object>
  addPasskey(
    who: SignedInUser,
    passkey: { name: string; response: RegistrationResponseJSON },
    site: Site,
  ): OrRefused<'done'>
  /** @returns false when the user has no such passkey */
  renamePasskey(userId: string, id: string, name: string): Promise<boolean>
  removePasskey(who: SignedInUser, id: string): OrRefused<boolean>
  /** @param userId undefined for a sign-in @returns options for the browser */
  challengePasskey(userId: string | undefined, site: Site): Promise<object>
  /** @param userId as for the challenge @returns the user of the passkey, or undefined */
  verifyPasskey(
    userId: string | undefined,
    response: AuthenticationResponseJSON,
    site: Site,
  ): Promise<string | undefined>
  /** Notes a proof in the session. @returns false when it is not valid */
  provePasskey(
    who: SignedInUser,
    response: AuthenticationResponseJSON,
    site: Site,
  ): Promise<boolean>
}

type Options = { db: Database; newId: NewId; clock: Clock; passwords: Passwords }

const PASSKEYS_MAX = 20
const CHALLENGE_MS = 5 * MINUTE_MS
const SITE_NAME = 'Vigil'
/** Loaded with the first use, because most starts need none. */
const library = async () => await import('@simplewebauthn/server')

export function createPasskeys(options: Options): Passkeys {
  const { db, clock, passwords } = options
  const expiry = () => new Date(clock.now().getTime() + CHALLENGE_MS)
  const isUnproved = async ({ user_id, factor }: SignedInUser) =>
    factor !== 'fresh' && (await hasSecondFactor(db, user_id))
  const verify: Passkeys['verifyPasskey'] = async (userId, response, site) =>
    await verified(options, userId, response, site)

  return {
    listPasskeys: async (userId) =>
      (await listPasskeys(db, userId)).map(({ id, name, created_at, last_used_at }) => ({
        id,
        name,
        created_at: created_at.toISOString(),
        last_used_at: last_used_at?.toISOString() ?? null,
      })),
    beginPasskey: async (who, password, { host_name }) => {
      const user = await findUser(db, who.user_id)
      const matches = await passwords.verify(password, user?.password_hash)
      if (!user || !matches) return { refused: 'wrong_password' }
      if (await isUnproved(who)) return { refused: 'unproved' }
      const existing = await listPasskeys(db, user.id)
      const { generateRegistrationOptions } = await library()
      const created = await generateRegistrationOptions({
        rpName: SITE_NAME,
        rpID: host_name,
        userName: user.email,
        userID: new Uint8Array(Buffer.from(user.id)),
        excludeCredentials: existing.map(({ id }) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      const { challenge } = created
      await insertChallenge(db, { challenge, user_id: user.id, expires_at: expiry() })
      return created
    },
    addPasskey: async (who, { name, response }, site) => {
      const { user_id, session_id } = who
      if (await isUnproved(who)) return { refused: 'unproved' }
      const { verifyRegistrationResponse } = await library()
      const outcome = await verifyRegistrationResponse({
        response,
        expectedChallenge: async (sent) => await useChallenge(db, sent, user_id, clock.now()),
        expectedOrigin: site.origin,
        expectedRPID: site.host_name,
      }).catch(() => undefined)
      if (outcome?.verified !== true) return { refused: 'invalid' }
      const { id, publicKey, counter, transports = [] } = outcome.registrationInfo.credential
      const now = clock.now()
      return await db.transaction().execute(async (tx) => {
        if ((await lockPasskeysOf(tx, user_id)) >= PASSKEYS_MAX) return { refused: 'too_many' }
        const facts = { id, user_id, public_key: Buffer.from(publicKey), counter, transports, name }
        if (!(await insertPasskey(tx, { ...facts, created_at: now }))) return { refused: 'invalid' }
        await markFactorProved(tx, user_id, session_id, now)
        await auditOfUser(tx, options, user_id, 'passkey.added', user_id)
        return 'done'
      })
    },
    renamePasskey: async (userId, id, name) => await renamePasskey(db, userId, id, name),
    removePasskey: async (who, id) => {
      if (await isUnproved(who)) return { refused: 'unproved' }
      return await db.transaction().execute(async (tx) => {
        if (!(await deletePasskey(tx, who.user_id, id))) return false
        if (!(await hasSecondFactor(tx, who.user_id))) await forgetProofs(tx, who.user_id)
        await auditOfUser(tx, options, who.user_id, 'passkey.removed', who.user_id)
        return true
      })
    },
    challengePasskey: async (userId, { host_name }) => {
      const { generateAuthenticationOptions } = await library()
      const sent = await generateAuthenticationOptions({
        rpID: host_name,
        userVerification: 'required',
        ...(userId !== undefined && { allowCredentials: await idsOf(options, userId) }),
      })
      const row = { challenge: sent.challenge, user_id: userId ?? null, expires_at: expiry() }
      await insertChallenge(db, row)
      return sent
    },
    verifyPasskey: verify,
    provePasskey: async ({ user_id, session_id }, response, site) => {
      if ((await verify(user_id, response, site)) === undefined) return false
      await markFactorProved(db, user_id, session_id, clock.now())
      return true
    },
  }
}

const idsOf = async ({ db }: Options, userId: string) =>
  (await listPasskeys(db, userId)).map(({ id }) => ({ id }))

async function verified(
  { db, clock }: Options,
  userId: string | undefined,
  response: AuthenticationResponseJSON,
  { origin, host_name }: Site,
): Promise<string | undefined> {
  const passkey = await findPasskey(db, response.id)
  if (!passkey || (userId !== undefined && passkey.user_id !== userId)) return undefined
  const { verifyAuthenticationResponse } = await library()
  const outcome = await verifyAuthenticationResponse({
    response,
    expectedChallenge: async (sent) => await useChallenge(db, sent, userId ?? null, clock.now()),
    expectedOrigin: origin,
    expectedRPID: host_name,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: passkey.counter,
    },
  }).catch(() => undefined)
  if (outcome?.verified !== true) return undefined
  const { newCounter: counter } = outcome.authenticationInfo
  await markPasskeyUsed(db, passkey.id, { counter, last_used_at: clock.now() })
  return passkey.user_id
}
