/** Writes the work of members to a case. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { CaseRow } from './case-state.ts'

type Changes = Partial<
  Pick<
    CaseRow,
    | 'assignee_id'
    | 'assigned_at'
    | 'waits_until'
    | 'escalated_at'
    | 'closed_at'
    | 'closed_by'
    | 'outcome'
    | 'reason_code'
    | 'is_joinable'
  >
>

/** @param row the case under its lock */
export async function updateCase(tx: Db, row: CaseRow, changes: Changes): Promise<CaseRow> {
  await tx
    .updateTable('cases')
    .set({ ...changes, version: sql`version + 1` })
    .where('org_id', '=', row.org_id)
    .where('id', '=', row.id)
    .execute()
  return { ...row, ...changes, version: row.version + 1 }
}
