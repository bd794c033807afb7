/** SQL for how the members of an organization have to sign in. */
import type { Db } from '../../../platform/postgres/db.ts'
import type { SignInPolicy } from '../schema.ts'

export async function findSignInPolicy(db: Db, orgId: string): Promise<SignInPolicy | undefined> {
  return await db
    .selectFrom('organizations')
    .select('requires_second_factor')
    .where('id', '=', orgId)
    .executeTakeFirst()
}

export async function updateSignInPolicy(
  tx: Db,
  orgId: string,
  policy: SignInPolicy,
): Promise<void> {
  await tx.updateTable('organizations').set(policy).where('id', '=', orgId).execute()
}
