/** Creates the first organization and its owner in an empty database. */
import type { Clock } from '../../platform/clock.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { createPasswords } from './passwords.ts'
import { createOrganizations } from './service.ts'
import { hasNoOrganizations, upsertMembership } from './store.ts'

export type FirstOrganization = { org_id: string; email: string; password: string }

/**
 * @param complete creates everything else in the same transaction, so that an interrupted first
 *   start leaves the database empty
 * @returns undefined when an organization exists
 */
export async function createFirstOrganization<T>(
  options: { db: Database; newId: NewId; clock: Clock; name: string; email: string },
  complete: (tx: Database, created: FirstOrganization) => Promise<T>,
): Promise<T | undefined> {
  const { db, newId, clock, name, email } = options
  return await db.transaction().execute(async (tx) => {
    if (!(await hasNoOrganizations(tx))) return undefined
    const accounts = createOrganizations({ db: tx, newId, clock, passwords: createPasswords() })
    const { id: org_id } = await accounts.createOrganization({ name, plan: 'starter' })
    const owner = await accounts.createUser({ email })
    if ('refused' in owner) throw new Error(`The owner could not be created: ${owner.refused}`)
    const { user_id } = owner
    await upsertMembership(tx, org_id, { user_id, role: 'owner', created_at: clock.now() })
    return await complete(tx, { org_id, email, password: owner.generated_password ?? '' })
  })
}
