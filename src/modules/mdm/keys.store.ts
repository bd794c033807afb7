import { type RawBuilder, sql } from 'kysely'
import { uuidArray } from '../../platform/postgres/arrays.ts'

/** A table with the organization and one other id of each record. */
export const unnested = <M extends string>(
  records: readonly Record<'org_id' | NoInfer<M>, string>[],
  member: M,
): RawBuilder<unknown> => sql`unnest(
  ${uuidArray(records.map(({ org_id }) => org_id))}::uuid[],
  ${uuidArray(records.map((record) => record[member]))}::uuid[])`
