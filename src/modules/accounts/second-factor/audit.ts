/** Audit entries about the sign-in of a user, in each organization of the user: each depends on it. */
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import { findUser, listOrganizationsOfUser } from '../store.ts'

/** @param by null for the operator */
export async function auditOfUser(
  tx: Db,
  { clock, newId }: { clock: Clock; newId: NewId },
  userId: string,
  action: string,
  by: string | null,
  details: Record<string, unknown> = {},
): Promise<void> {
  const email = (await findUser(tx, userId))?.email
  for (const { id } of await listOrganizationsOfUser(tx, userId)) {
    const at = clock.now()
    await insertAudit(tx, id, {
      id: newId(at),
      at,
      actor_user_id: by,
      action,
      target: email,
      details,
    })
  }
}
