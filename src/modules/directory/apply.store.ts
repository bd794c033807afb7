/**
 * Applies changes of a cell to the directory, each once: the directory stores their ids in the transaction
 * that applies them, and the cell deletes them afterwards.
 */
import { sql } from 'kysely'
import { uuidArray } from '../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { insertAudit, type NewAuditEntry } from '../audit/index.ts'
import { changeOpinions, type OpinionChange } from '../reputation/index.ts'

type Key = { org_id: string; id: string }
type Change = Key &
  (
    | { kind: 'opinion'; content: Omit<OpinionChange, 'at'> & { at: string } }
    | { kind: 'audit'; content: Omit<NewAuditEntry, 'at'> & { org_id: string; at: string } }
  )

const CHANGES_MAX = 500

/** @returns the number of changes that the cell no longer holds */
export async function applyDirectoryChanges(cell: Database, directory: Database): Promise<number> {
  return await cell.transaction().execute(async (tx) => {
    const { rows } = await sql<Change>`
      select org_id, id, kind, content from directory_changes
      order by org_id, id limit ${sql.lit(CHANGES_MAX)} for update skip locked`.execute(tx)
    if (rows.length === 0) return 0
    await directory.transaction().execute(async (target) => await applyNew(target, rows))
    await sql`
      delete from directory_changes c using ${keysOf(rows)} as k (org_id, id)
      where c.org_id = k.org_id and c.id = k.id`.execute(tx)
    return rows.length
  })
}

async function applyNew(directory: Db, changes: readonly Change[]): Promise<void> {
  const { rows } = await sql<Key>`
    insert into applied_directory_changes (org_id, id)
    select * from ${keysOf(changes)} order by 1, 2
    on conflict do nothing returning org_id, id`.execute(directory)
  const fresh = new Set(rows.map(({ id }) => id))
  const opinions: OpinionChange[] = []
  for (const change of changes.filter(({ id }) => fresh.has(id))) {
    const { content } = change
    const at = new Date(content.at)
    if (change.kind === 'opinion') opinions.push({ ...change.content, at })
    else {
      const { org_id, ...entry } = change.content
      await insertAudit(directory, org_id, { ...entry, at })
    }
  }
  if (opinions.length > 0) await changeOpinions(opinions).execute(directory)
}

const keysOf = (changes: readonly Key[]) => sql`unnest(
  ${uuidArray(changes.map(({ org_id }) => org_id))}::uuid[],
  ${uuidArray(changes.map(({ id }) => id))}::uuid[])`

const SWEEP_ROWS_MAX = 5000

/** @param before a time before which no cell can hold a change that was applied */
export async function sweepAppliedChanges(directory: Db, before: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from applied_directory_changes where ctid = any(array(
      select ctid from applied_directory_changes where applied_at < ${before}
      limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(directory)
  return Number(numAffectedRows)
}
