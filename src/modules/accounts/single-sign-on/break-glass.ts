/**
 * The owner of an organization with required single sign-on who may sign in without the provider, for the day on which
 * it does not work. Each such sign-in is in the audit log.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import { listBreakGlassOrganizations } from './store.ts'

/** @param browser user agent of the new session, or the name of the command */
export async function auditBreakGlass(
  tx: Db,
  { clock, newId }: { clock: Clock; newId: NewId },
  userId: string,
  browser: string | null,
): Promise<void> {
  for (const id of await listBreakGlassOrganizations(tx, userId)) {
    const at = clock.now()
    const entry = { id: newId(at), at, actor_user_id: userId, details: { browser } }
    await insertAudit(tx, id, { ...entry, action: 'single_sign_on.bypassed' })
  }
}
