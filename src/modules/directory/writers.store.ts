/**
 * Writes to the directory from within a transaction of a cell. With one PostgreSQL they are rows of the same
 * transaction. Otherwise a row in the cell stands for each, which is applied soon after the commit.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import { insertAudit, type NewAuditEntry } from '../audit/index.ts'
import { type OpinionChange, opinionWriter } from '../reputation/index.ts'

export type DirectoryWriters = {
  opinions: Writer<OpinionChange>
  audit: (tx: Db, orgId: string, entry: NewAuditEntry) => Promise<void>
}

/** @param isSame whether the directory and the data of organizations are in one database */
export const createDirectoryWriters = (isSame: boolean): DirectoryWriters =>
  isSame ? { opinions: opinionWriter, audit: insertAudit } : QUEUED

const QUEUED: DirectoryWriters = {
  opinions: { name: opinionWriter.name, write: (changes) => insertChanges('opinion', changes) },
  audit: async (tx, org_id, entry) => {
    await insertChanges('audit', [{ ...entry, org_id }]).execute(tx)
  },
}

const insertChanges = (
  kind: 'opinion' | 'audit',
  changes: readonly { org_id: string }[],
): RawBuilder<unknown> => sql`
  insert into directory_changes (org_id, kind, content)
  select (c ->> 'org_id')::uuid, ${kind}, c
  from jsonb_array_elements(${JSON.stringify(changes)}::jsonb) as c`
