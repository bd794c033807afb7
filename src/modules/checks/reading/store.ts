import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '../../../platform/owner.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import {
  type HistoryBounds,
  type HistoryPage,
  readHistoryPage,
} from '../../../platform/postgres/history-page.ts'
import type { SignalShare } from '../../risk/index.ts'
import type { ExplainedCheck } from '../store.ts'
import type { CheckListItem } from './schema.ts'

export type CheckFilters = {
  org_id: string
  mode: Mode
  /** Restricts the list to this check. */
  id?: string | undefined
  /** Both bounds are inclusive. */
  score_min?: number | undefined
  score_max?: number | undefined
  /** Searched in the e-mail, phone, fingerprint, event type, and findings about the address. */
  text?: string | undefined
}

export type ListedCheck = Omit<CheckListItem, 'risk_level' | 'signal'> & {
  strongest: SignalShare | null
}

export async function listChecks(
  db: Database,
  filters: CheckFilters,
  walk: HistoryBounds,
): Promise<HistoryPage<ListedCheck>> {
  return await readHistoryPage<ListedCheck>(
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
