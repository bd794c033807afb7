/** The organisation and the owner that an empty database starts with. */
import type { Clock } from '../../platform/clock.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { createPasswords } from './passwords.ts'
import { createOrganizations } from './service.ts'
import { isWithoutOrganizations, upsertMembership } from './store.ts'

export type FirstOrganization = { org_id: string; email: string; password: string }

/**
 * @param complete what else belongs to it, in the same transaction: all or nothing, so that a start
 *   that is cut off is still a first start
 * @returns undefined when there is an organisation already
 */
export async function createFirstOrganization<T>(
  options: { db: Database; newId: NewId; clock: Clock; name: string; email: string },
  complete: (tx: Database, orgId: string) => Promise<T>,
): Promise<(FirstOrganization & { completed: T }) | undefined> {
  const { db, newId, clock, name, email } = options
  return await db.transaction().execute(async (tx) => {
    if (!(await isWithoutOrganizations(tx))) return undefined
    const accounts = createOrganizations({ db: tx, newId, clock, passwords: createPasswords() })
    const { id: org_id } = await accounts.createOrganization({ name, plan: 'starter' })
    const owner = await accounts.createUser({ email })
    if ('refused' in owner) throw new Error(`The owner could not be created: ${owner.refused}`)
    await upsertMembership(tx, org_id, {
      user_id: owner.user_id,
      role: 'owner',
      created_at: clock.now(),
    })
    const completed = await complete(tx, org_id)
    return { org_id, email, password: owner.generated_password ?? '', completed }
  })
}
