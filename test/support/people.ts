/** Members of an organization, one for each role. */
import { ROLES, type Role } from '../../src/modules/accounts/tables.ts'
import type { Harness } from '../harness.ts'

export type People = { tokens: Record<Role, string>; user_ids: Record<Role, string> }

export async function createPeople({ signIn, services }: Harness, orgId: string): Promise<People> {
  const people = { tokens: {}, user_ids: {} } as People
  for (const role of ROLES) {
    const token = await signIn(orgId, role)
    people.tokens[role] = token
    people.user_ids[role] = (await services.accounts.verifyAccess(token))?.user_id ?? ''
  }
  return people
}
