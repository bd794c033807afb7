/** SQL of what has to be brought to the provider. */
import { sql } from 'kysely'
import { uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { DispatchKind } from '../../../platform/postgres/tables/mdm.ts'

export type DispatchSubject = { org_id: string; kind: DispatchKind; subject_id: string }

/**
 * In the transaction that changed the subjects, all of one kind. One that waits already goes with what
 * the subject is now, and what failed before is forgotten; one that is under way goes once more.
 */
export async function requestDispatches(
  db: Db,
  kind: DispatchKind,
  subjects: readonly Omit<DispatchSubject, 'kind'>[],
): Promise<void> {
  if (subjects.length === 0) return
  await sql`
    insert into mdm_dispatches as d (org_id, kind, subject_id, due_at, created_at)
    select org_id, ${kind}, subject_id, now(), now() from unnest(
      ${uuidArray(subjects.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(subjects.map(({ subject_id }) => subject_id))}::uuid[]
    ) as g (org_id, subject_id)
    order by 1, 2, 3
    on conflict (org_id, kind, subject_id) do update set
      revision = d.revision + 1, attempts = 0, due_at = now(), error = null`.execute(db)
}
