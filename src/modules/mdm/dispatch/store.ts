/** SQL that queues dispatches for the provider. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { unnested } from '../keys.store.ts'
import type { DispatchKind } from '../tables.ts'

export type DispatchSubject = { org_id: string; kind: DispatchKind; subject_id: string }

/**
 * Queues a dispatch of one kind for each subject, in the transaction that changed the subjects. A
 * dispatch that is queued already starts over with the current state of its subject; one that is being
 * sent is sent again afterwards.
 */
export async function requestDispatches(
  db: Db,
  kind: DispatchKind,
  subjects: readonly Omit<DispatchSubject, 'kind'>[],
): Promise<void> {
  if (subjects.length === 0) return
  await sql`
    insert into mdm_dispatches as d (org_id, kind, subject_id, due_at, created_at)
    select org_id, ${kind}, subject_id, now(), now()
    from ${unnested(subjects, 'subject_id')} as g (org_id, subject_id)
    order by 1, 2, 3
    on conflict (org_id, kind, subject_id) do update set
      revision = d.revision + 1, attempts = 0, due_at = excluded.due_at, error = null`.execute(db)
}
