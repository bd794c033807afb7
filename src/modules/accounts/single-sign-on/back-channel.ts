/** Ends the sessions of a person who has signed out at the provider. */
import type { Clock } from '../../../platform/clock.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import { deleteSessionsAtProvider, useLogoutToken } from './back-channel.store.ts'
import { type SignedOut, TOKEN_MS } from './logout-token.ts'
import type { Provider } from './provider.ts'
import { findIdentity } from './store.ts'

/** The session at a provider, as it is stored. */
export const sidHash = (issuer: string, sid: string): Buffer => hashToken(`${issuer} ${sid}`)

type Options = { db: Database; clock: Clock; newId: NewId }

/** @returns false when the token was used before */
export async function endSessions(
  { db, clock, newId }: Options,
  { org_id: orgId, issuer, joins }: Provider,
  { subject, sid, token_id }: SignedOut,
): Promise<boolean> {
  const org_id = orgId ?? null
  const at = clock.now()
  const used = hashToken(JSON.stringify([org_id, issuer, token_id]))
  return await db.transaction().execute(async (tx) => {
    if (!(await useLogoutToken(tx, used, new Date(at.getTime() + TOKEN_MS)))) return false
    const person =
      subject === undefined ? undefined : await findIdentity(tx, { org_id, issuer, subject })
    // Someone who never signed in here has no sessions.
    if (subject !== undefined && person === undefined) return true
    const sid_hash = sid === undefined ? undefined : sidHash(issuer, sid)
    const ended = await deleteSessionsAtProvider(tx, { org_id, user_id: person?.user_id, sid_hash })
    if (joins === undefined) return true
    for (const actor_user_id of new Set(ended)) {
      const sessions = ended.filter((id) => id === actor_user_id).length
      const entry = { id: newId(at), at, actor_user_id, details: { sessions } }
      await insertAudit(tx, joins, { ...entry, action: 'single_sign_on.signed_out' })
    }
    return true
  })
}
