/** SQL for the lines about profiles that were imported. */
import { sql } from 'kysely'
import { timeArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import type { Reader } from '../../platform/states/index.ts'
import type { ProfileTables } from './tables.ts'

export type Line = ProfileTables['imported_profiles']

/** A line that another import has stored in the meantime fails the statement, and the step runs again. */
export const importedWriter: Writer<Line> = {
  name: 'imported_profiles',
  write: (rows) => sql`
    insert into imported_profiles (org_id, line_hash, profile_id, imported_at)
    select * from unnest(
      ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(rows.map(({ line_hash }) => line_hash))}::uuid[],
      ${uuidArray(rows.map(({ profile_id }) => profile_id))}::uuid[],
      ${timeArray(rows.map(({ imported_at }) => imported_at))}::timestamptz[])`,
}

export const importedReader: Reader<Pick<Line, 'org_id' | 'line_hash'>, boolean> = {
  name: 'imported profiles',
  read: async (db, lines) => {
    const { rows } = await sql<{ line_hash: string }>`
      select i.line_hash from unnest(
        ${uuidArray(lines.map(({ org_id }) => org_id))}::uuid[],
        ${uuidArray(lines.map(({ line_hash }) => line_hash))}::uuid[]
      ) as l (org_id, line_hash)
      cross join lateral (
        select line_hash from imported_profiles i
        where i.org_id = l.org_id and i.line_hash = l.line_hash limit 1) i`.execute(db)
    const known = new Set(rows.map(({ line_hash }) => line_hash))
    return lines.map(({ line_hash }) => known.has(line_hash))
  },
}
