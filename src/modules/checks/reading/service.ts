/** Reads checks for the console: the history, and one check with its explanation. */
import { isUuid } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { HistoryBounds } from '../../../platform/postgres/history-page.ts'
import { riskLevel } from '../../risk/index.ts'
import type { CheckRequest } from '../schema.ts'
import { type ExplainedCheck, findEventId } from '../store.ts'
import { explainCheck } from './explain.ts'
import type { CheckDetails, CheckListItem, CheckPage, StoredRequest } from './schema.ts'
import { type CheckFilters, findCheck, type ListedCheck, listChecks } from './store.ts'

export type CheckHistoryQuery = CheckFilters & HistoryBounds & { event_id?: string | undefined }

export type CheckReading = {
  list(query: CheckHistoryQuery): Promise<CheckPage>
  find(orgId: string, id: string): Promise<CheckDetails | undefined>
}

export function createCheckReading({ db }: { db: Database }): CheckReading {
  return {
    list: async (query) => {
      if (query.event_id !== undefined) return await pageOfEvent(db, query, query.event_id)
      const { rows, next, examined_until } = await listChecks(db, query, query)
      return {
        checks: rows.map(listed),
        next_cursor: next ?? null,
        examined_until: examined_until ?? null,
      }
    },
    find: async (orgId, id) => {
      const found = isUuid(id) ? await findCheck(db, orgId, id) : undefined
      return found && detailsOf(found)
    },
  }
}

/** An event id identifies one check; the other filters apply to it as well. */
async function pageOfEvent(
  db: Database,
  query: CheckHistoryQuery,
  event_id: string,
): Promise<CheckPage> {
  const { org_id, mode } = query
  const event = await findEventId(db, { org_id, mode, event_id })
  const found = event && (await listChecks(db, { ...query, id: event.check_id }, query))
  return { checks: found?.rows.map(listed) ?? [], next_cursor: null, examined_until: null }
}

function listed({ strongest, ...check }: ListedCheck): CheckListItem {
  return {
    ...check,
    risk_level: riskLevel(check.risk_score),
    signal: strongest?.signal ?? null,
  }
}

function detailsOf(found: ExplainedCheck): CheckDetails {
  const { mode, created_at, result, explanation } = found
  const { check_id, risk_score, risk_level, credits_used } = result
  const { phone, ...signals } = result.signals
  return {
    id: check_id,
    mode,
    created_at,
    risk_score,
    risk_level,
    credits_used,
    request: storedRequest(found),
    signals,
    phone: phone ?? null,
    explanation: explainCheck(risk_score, explanation, phone),
  }
}

function storedRequest({ request, result }: ExplainedCheck): StoredRequest {
  const { phone, device, behavior, event_type, event_id, metadata } = request as CheckRequest
  return {
    email: result.email ?? null,
    phone: phone ?? null,
    device: device ?? null,
    behavior: behavior ?? null,
    event_type: event_type ?? null,
    event_id: event_id ?? null,
    metadata: metadata ?? null,
  }
}
