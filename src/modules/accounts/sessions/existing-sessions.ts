/**
 * Reads what the session of an access token has proved. It is not cached, so that an access token ends with its session: after a
 * sign-out, a theft or a new password it is refused with the next request, on every node.
 */
import { createBatcher } from '../../../platform/batch.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import type { AccessClaims } from './access-token.ts'
import { type ExistingSession, listExistingSessions } from './store.ts'

/** `fresh`: within the last minutes; absent where the session has proved no second factor. */
export type ProvedFactor = 'proved' | 'fresh'

/**
 * The provider that a session comes from. With an organization, the session reaches only that one.
 * `is_fresh`: the user has signed in there within the last minutes.
 */
export type SessionProvider = { org_id: string | null; is_fresh: boolean }

/** @property only_org_id the only organization that the token of a program may be used for */
export type VerifiedAccess = AccessClaims & {
  factor?: ProvedFactor
  provider?: SessionProvider
  only_org_id?: string
}

/** A proof counts as recent for this long. */
const FRESH_MS = 10 * MINUTE_MS
const SESSIONS_PER_READ_MAX = 500
/** A slow read must not delay all others. */
const READS_IN_FLIGHT_MAX = 2
/** Fewer look-ups wait for the current read, because two small reads cost more than one. */
const SECOND_READ_MIN = 16

export function createSessionReader(
  db: Db,
): (claims: AccessClaims, now: Date) => Promise<VerifiedAccess | undefined> {
  const sessions = createBatcher<string, ExistingSession | undefined>({
    run: async (ids) => {
      const rows = await listExistingSessions(db, [...new Set(ids)])
      const found = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => found.get(id))
    },
    items_max: SESSIONS_PER_READ_MAX,
    batches_in_flight_max: READS_IN_FLIGHT_MAX,
    second_batch_min: SECOND_READ_MIN,
  })
  return async (claims, now) => {
    const session = await sessions.submit(claims.session_id)
    return session && { ...claims, ...proofOf(session, now) }
  }
}

function proofOf(
  { factor_at, provider_at, provider_org_id, org_id }: ExistingSession,
  now: Date,
): Omit<VerifiedAccess, keyof AccessClaims> {
  const isFresh = (at: Date) => now.getTime() - at.getTime() < FRESH_MS
  return {
    ...(org_id !== null && { only_org_id: org_id }),
    ...(factor_at !== null && { factor: isFresh(factor_at) ? 'fresh' : 'proved' }),
    ...(provider_at !== null && {
      provider: { org_id: provider_org_id, is_fresh: isFresh(provider_at) },
    }),
  }
}
