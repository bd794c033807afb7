/** SQL between the two requests of an attempt to send a command. */
import { sql } from 'kysely'
import type { Db } from '../../../../platform/postgres/db.ts'
import type { ClaimedDispatch } from '../claim.store.ts'

export type ClaimState = {
  /** The lease is still held, and the command was neither sent nor ended in the meantime. */
  is_held: boolean
  /** Those of the given operations that belong to commands. */
  taken: string[]
}

export async function findClaimState(
  db: Db,
  { org_id, subject_id, lease_id }: Pick<ClaimedDispatch, 'org_id' | 'subject_id' | 'lease_id'>,
  operationNames: readonly string[],
): Promise<ClaimState> {
  const { rows } = await sql<ClaimState>`
    select exists (
      select from mdm_dispatches d
      join mdm_commands c on c.org_id = d.org_id and c.id = d.subject_id
      where d.org_id = ${org_id} and d.kind = 'issue_command' and d.subject_id = ${subject_id}
        and d.lease_id = ${lease_id} and c.status = 'queued'
    ) as is_held, array(
      select operation_name from mdm_commands
      where org_id = ${org_id} and operation_name = any (${[...operationNames]}::text[])
    ) as taken`.execute(db)
  return rows[0] ?? { is_held: false, taken: [] }
}
