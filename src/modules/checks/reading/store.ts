/** The history of checks. */
import { type RawBuilder, sql } from 'kysely'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { Mode } from '../../../platform/postgres/tables/platform.ts'
import { type Walk, type Walked, walkBack } from '../../../platform/postgres/walk.ts'
import type { SignalShare } from '../../risk/index.ts'
import type { ExplainedCheck } from '../store.ts'
import type { CheckListItem } from './schema.ts'

export type CheckFilters = {
  org_id: string
  mode: Mode
  /** One that was found otherwise, if the other filters hold for it. */
  id?: string | undefined
  /** Both included. */
  score_min?: number | undefined
  score_max?: number | undefined
  /** In the e-mail, the phone, the fingerprint, the event type, or what was found of the address. */
  text?: string | undefined
}

export type ListedCheck = Omit<CheckListItem, 'risk_level' | 'signal'> & {
  strongest: SignalShare | null
}

export async function listChecks(
  db: Database,
  filters: CheckFilters,
  walk: Walk,
): Promise<Walked<ListedCheck>> {
  return await walkBack<ListedCheck>(
    db,
    {
      table: 'checks',
      within: withinOf(filters),
      columns: ['mode', 'risk_score', 'request', 'result', 'evidence', 'created_at'],
      where: sql.join(conditionsOf(filters), sql` and `),
      shown: sql`e.id, e.created_at, e.risk_score, e.result ->> 'email' as email,
        e.request ->> 'phone' as phone,
        e.request -> 'device' ->> 'fingerprint_hash' as fingerprint_hash,
        e.request ->> 'event_type' as event_type, e.request ->> 'event_id' as event_id,
        e.evidence -> 'shares' -> 0 as strongest`,
    },
    walk,
  )
}

const withinOf = ({ org_id, id }: CheckFilters): RawBuilder<unknown> =>
  id === undefined ? sql`t.org_id = ${org_id}` : sql`t.org_id = ${org_id} and t.id = ${id}`

function conditionsOf({ mode, score_min, score_max, text }: CheckFilters): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [sql`e.mode = ${mode}`]
  if (score_min !== undefined) conditions.push(sql`e.risk_score >= ${score_min}`)
  if (score_max !== undefined) conditions.push(sql`e.risk_score <= ${score_max}`)
  if (text !== undefined) {
    conditions.push(sql`position(lower(${text}) in lower(concat_ws(' ',
      e.result ->> 'email', e.request ->> 'phone', e.request -> 'device' ->> 'fingerprint_hash',
      e.request ->> 'event_type', (
        select string_agg(f ->> 'detail', ' ') from json_array_elements(e.evidence -> 'evidence') f
        where f ->> 'signal' = 'ip')))) > 0`)
  }
  return conditions
}

export async function findCheck(
  db: Db,
  orgId: string,
  id: string,
): Promise<ExplainedCheck | undefined> {
  const row = await db
    .selectFrom('checks')
    .select(['org_id', 'mode', 'created_at', 'request', 'result', 'evidence as explanation'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row as ExplainedCheck | undefined
}
