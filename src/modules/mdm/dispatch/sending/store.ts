/** SQL that is asked between two requests of one attempt. */
import { sql } from 'kysely'
import type { Db } from '../../../../platform/postgres/db.ts'
import type { ClaimedDispatch } from '../claim/store.ts'

export type Standing = {
  /** Leased to whoever asks, and not sent or ended meanwhile. */
  is_mine: boolean
  /** Of the operations asked about, those that commands have. */
  taken: string[]
}

export async function findStanding(
  db: Db,
  { org_id, subject_id, lease_id }: Pick<ClaimedDispatch, 'org_id' | 'subject_id' | 'lease_id'>,
  operationNames: readonly string[],
): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select exists (
      select from mdm_dispatches d
      join mdm_commands c on c.org_id = d.org_id and c.id = d.subject_id
      where d.org_id = ${org_id} and d.kind = 'issue_command' and d.subject_id = ${subject_id}
        and d.lease_id = ${lease_id} and c.status = 'queued'
    ) as is_mine, array(
      select operation_name from mdm_commands
      where org_id = ${org_id} and operation_name = any (${[...operationNames]}::text[])
    ) as taken`.execute(db)
  return rows[0] ?? { is_mine: false, taken: [] }
}
