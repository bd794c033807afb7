/**
 * Sign-in of programs without a password (RFC 8628): the program shows a short code, a signed-in user types it into
 * the console and chooses an organization and a duration, and the program gets a token for no other organization.
 */
import { randomInt } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import { hashToken, isToken, newToken } from '../../../platform/crypto/tokens.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../platform/time-units.ts'
import { insertAudit } from '../../audit/index.ts'
import type { DeviceCodes, DeviceSignInPreview, ProgramToken } from '../schema.ts'
import type { SessionProvider } from '../sessions/existing-sessions.ts'
import type { Sessions } from '../sessions/service.ts'
import { findMembership, findOrganization, findUser } from '../store.ts'
import {
  type Approval,
  decide,
  findByDevice,
  findUndecided,
  insertDeviceSignIn,
  takeByDevice,
} from './store.ts'

/** @property provider of the session that approves it */
export type Decision = Omit<Approval, 'provider_at' | 'provider_org_id'> & {
  provider: SessionProvider | undefined
}

export type DeviceSignIns = {
  beginDeviceSignIn(from: { program: string; address: string }): Promise<DeviceCodes>
  /** @returns undefined for an unknown, used or expired code */
  previewDeviceSignIn(userCode: string): Promise<DeviceSignInPreview | undefined>
  /** @returns false for an unknown, used or expired code */
  decideDeviceSignIn(userCode: string, decision: Decision | 'denied'): Promise<boolean>
  /** Yields the token once. @returns undefined for an unknown, used or expired code */
  redeemDeviceSignIn(deviceCode: string): Promise<ProgramToken | undefined>
}

export type DeviceSignInOptions = {
  db: Database
  newId: NewId
  clock: Clock
  issueLongToken: Sessions['issueLongToken']
}

export const DEVICE_SIGN_IN_MS = 10 * MINUTE_MS
const INTERVAL_SECONDS = 2
const PREFIX = 'vdc_'
/** Without vowels, so that no words appear, and without letters that look alike (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE_CHARS = 8
const PROGRAM_MAX_CHARS = 100

export function createDeviceSignIns(options: DeviceSignInOptions): DeviceSignIns {
  const { db, newId, clock, issueLongToken } = options
  return {
    beginDeviceSignIn: async ({ program, address }) => {
      const now = clock.now()
      const device_code = newToken(PREFIX)
      const user_code = newUserCode()
      await insertDeviceSignIn(db, {
        device_hash: hashToken(device_code),
        user_hash: hashOf(user_code),
        program: program.slice(0, PROGRAM_MAX_CHARS).toWellFormed(),
        address,
        created_at: now,
        expires_at: new Date(now.getTime() + DEVICE_SIGN_IN_MS),
      })
      const expires_in_seconds = DEVICE_SIGN_IN_MS / SECOND_MS
      return { device_code, user_code, expires_in_seconds, interval_seconds: INTERVAL_SECONDS }
    },
    previewDeviceSignIn: async (userCode) => {
      const found = await findUndecided(db, hashOf(userCode), clock.now())
      return (
        found && {
          program: found.program,
          address: found.address,
          created_at: found.created_at.toISOString(),
        }
      )
    },
    decideDeviceSignIn: async (userCode, decision) =>
      await db.transaction().execute(async (tx) => {
        const now = clock.now()
        const found = await decide(tx, hashOf(userCode), approvalOf(decision, now), now)
        if (!found) return false
        if (decision === 'denied') return true
        const { user_id, org_id, days } = decision
        const target = (await findUser(tx, user_id))?.email
        const details = { program: found.program, address: found.address, days }
        const facts = { action: 'program.signed_in', actor_user_id: user_id, target, details }
        await insertAudit(tx, org_id, { id: newId(now), at: now, ...facts })
        return true
      }),
    redeemDeviceSignIn: async (deviceCode) => {
      if (!isToken(deviceCode, PREFIX)) return undefined
      const hash = hashToken(deviceCode)
      const found = await findByDevice(db, hash, clock.now())
      if (!found) return undefined
      const { user_id, org_id, days, program, is_proved, is_denied } = found
      if (!is_denied && (user_id === null || org_id === null || days === null)) {
        return { status: 'pending' }
      }
      if (!(await takeByDevice(db, hash))) return undefined
      if (is_denied || user_id === null || org_id === null || days === null) {
        return { status: 'denied' }
      }
      // The user may have left since the approval.
      const membership = await findMembership(db, org_id, user_id)
      const organization = await findOrganization(db, org_id)
      const { address, provider_at, provider_org_id } = found
      const limits = { program, org_id, is_proved, address, provider_at, provider_org_id }
      const token = membership && (await issueLongToken(user_id, days, limits))
      if (!token || !organization) return { status: 'denied' }
      const { access_token, expires_at } = token
      const named = { org_id, organization: organization.name }
      return { status: 'approved', access_token, expires_at: expires_at.toISOString(), ...named }
    },
  }
}

/** The sign-in at the provider is as old as can be, so that the token does not count as a recent one. */
function approvalOf(decision: Decision | 'denied', now: Date): Approval | 'denied' {
  if (decision === 'denied') return decision
  const { provider, ...approval } = decision
  const provider_at = provider ? new Date(now.getTime() - DAY_MS) : null
  return { ...approval, provider_at, provider_org_id: provider?.org_id ?? null }
}

function newUserCode(): string {
  const letters = Array.from({ length: CODE_CHARS }, () =>
    LETTERS.charAt(randomInt(LETTERS.length)),
  )
  return `${letters.slice(0, CODE_CHARS / 2).join('')}-${letters.slice(CODE_CHARS / 2).join('')}`
}

/** Ignores the case and everything else that people add or leave out. */
const hashOf = (userCode: string): Buffer =>
  hashToken(userCode.toUpperCase().replaceAll(/[^A-Z]/g, ''))
