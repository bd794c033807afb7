/**
 * The transaction of a check: it recognizes retries, counts identities, concludes the score, and
 * writes check, price and event together. Concurrent checks share a transaction.
 */
import { type Batcher, createBatcher } from '../../platform/batch.ts'
import type { NewId } from '../../platform/ids.ts'
import { type Database, type Db, isStatementFault } from '../../platform/postgres/db.ts'
import { toUnits, type UsageRow } from '../billing/index.ts'
import type { RulesInEffect } from '../custom-rules/index.ts'
import type { OutboxEvent } from '../events/index.ts'
import { notify, ruleAlerts } from '../notifications/index.ts'
import { CHECK_RISK_MIN, type CheckRisk } from '../profiles/index.ts'
import type { CountedIdentity } from './identities.ts'
import { conclude, type Findings } from './result.ts'
import type { CheckRequest, CheckResult } from './schema.ts'
import type { ReportUse } from './signed-report/assess.ts'
import { type CheckRow, type EventIdRow, insertChecks, reserveEventIds } from './store.ts'
import { type Counters, countBatch } from './velocity/counters.ts'
import type { VelocityFact } from './velocity/velocity.ts'

export type PreparedCheck = {
  id: string
  org_id: string
  mode: 'live' | 'test'
  key_id: string | undefined
  request: CheckRequest
  /** Set when the request carries an event_id. */
  payload_hash: Buffer | undefined
  findings: Findings
  /** Rules that were in effect when the check arrived; undefined for a sandbox value. */
  rules: RulesInEffect | undefined
  identities: CountedIdentity[]
  /** State id of the device; undefined for a check without a device. */
  device_id: string | undefined
  credits: number
  created_at: Date
}

/** `retry`: another request with the same event_id committed first, and its result counts. */
export type Committed = { state: 'stored'; result: CheckResult } | { state: 'retry' }

export type CommitDependencies = {
  db: Database
  newId: NewId
  /** Runs after checks and their events were committed. */
  onCommitted?: (() => void) | undefined
}

const BATCH_CHECKS_MAX = 64
const BATCHES_IN_FLIGHT_MAX = 2
/** Fewer checks wait for the batch in flight: two small transactions cost more than one. */
const SECOND_BATCH_MIN = 12

export function createCommitter(deps: CommitDependencies): Batcher<PreparedCheck, Committed> {
  return createBatcher<PreparedCheck, Committed>({
    run: async (checks) => {
      const committed = await deps.db.transaction().execute((tx) => commit(tx, deps, checks))
      deps.onCommitted?.()
      return committed
    },
    items_max: BATCH_CHECKS_MAX,
    batches_in_flight_max: BATCHES_IN_FLIGHT_MAX,
    second_batch_min: SECOND_BATCH_MIN,
    may_be_one_item: isStatementFault,
  })
}

async function commit(
  tx: Db,
  deps: CommitDependencies,
  checks: PreparedCheck[],
): Promise<Committed[]> {
  const reservations = eventIdsOf(checks)
  const reserved = await reserveEventIds(tx, reservations)
  const accepted = checks.filter(
    ({ id, payload_hash }) => payload_hash === undefined || reserved.has(id),
  )
  const counters = await countBatch(tx, accepted)
  const concluded = accepted.map((check) => concludeCheck(check, counters))
  const usage = accepted.map((check) => usageOf(check, deps))
  const risks = deviceRisksOf(accepted, concluded)
  const events = eventsOf(concluded, deps)
  await notify(
    tx,
    accepted.flatMap((check, index) => alertsOf(check, concluded[index])),
  )
  await insertChecks(tx, { checks: concluded, usage, events, device_risks: risks })
  const results = new Map(concluded.map(({ id, result }) => [id, result]))
  return checks.map(({ id }) => {
    const result = results.get(id)
    return result ? { state: 'stored', result } : { state: 'retry' }
  })
}

function usageOf(check: PreparedCheck, { newId }: CommitDependencies): UsageRow {
  return {
    id: newId(check.created_at),
    org_id: check.org_id,
    mode: check.mode,
    key_id: check.key_id,
    meter: 'check',
    quantity: 1,
    cost_units: toUnits(check.credits),
    source_id: check.id,
    occurred_at: check.created_at,
  }
}

/** The first identity is that of the person, if one was sent. */
function alertsOf({ id, identities, ...check }: PreparedCheck, concluded: CheckRow | undefined) {
  const { adjustments = [] } = concluded?.explanation ?? {}
  return ruleAlerts({
    org_id: check.org_id,
    mode: check.mode,
    adjustments,
    identity: identities[0]?.key_hash ?? id,
    noun: 'check',
    score: concluded?.result.risk_score ?? 0,
    link: `/checks/${id}`,
    at: check.created_at,
  })
}

/** Risks of devices that the scoring of orders and profiles uses later. */
function deviceRisksOf(accepted: PreparedCheck[], concluded: CheckRow[]): CheckRisk[] {
  return accepted.flatMap(({ org_id, device_id, created_at }, index) => {
    const risk_score = concluded[index]?.result.risk_score ?? 0
    if (device_id === undefined || risk_score < CHECK_RISK_MIN) return []
    return [{ org_id, device_id, risk_score, checked_at: created_at }]
  })
}

/** Completed checks with an e-mail emit an event (OP-22). */
function eventsOf(checks: CheckRow[], { newId }: CommitDependencies): OutboxEvent[] {
  return checks
    .filter(({ result }) => result.email !== undefined)
    .map(({ org_id, mode, result, created_at }) => ({
      id: newId(created_at),
      org_id,
      mode,
      type: 'email.check.completed',
      data: result,
      occurred_at: created_at,
    }))
}

/** When several checks of the batch share an event id, only the first reserves it. */
function eventIdsOf(checks: PreparedCheck[]): EventIdRow[] {
  const rows = new Map<string, EventIdRow>()
  for (const { id, org_id, mode, request, payload_hash } of checks) {
    const { event_id } = request
    if (event_id === undefined || payload_hash === undefined) continue
    const name = `${org_id} ${mode} ${event_id}`
    if (!rows.has(name)) {
      rows.set(name, { org_id, mode, event_id, check_id: id, payload_hash })
    }
  }
  return [...rows.values()]
}

function concludeCheck(check: PreparedCheck, counters: Counters): CheckRow {
  const velocity: VelocityFact[] = []
  let peopleOnDevice = 0
  let report: ReportUse | undefined
  for (const identity of check.identities) {
    const counted = counters.next(check.org_id, identity)
    if (!counted) continue
    const { counts, people } = counted
    if (identity.kind === 'device_report') {
      report = { is_repeated: counts.count_7d > 1, people }
      continue
    }
    velocity.push({ kind: identity.kind, counts })
    if (identity.kind === 'device') peopleOnDevice = people
  }
  const { email, ...request } = check.request
  const { result, explanation } = conclude(
    {
      check_id: check.id,
      email,
      credits_used: check.credits,
      is_sandbox: check.mode === 'test',
      created_at: check.created_at,
      request,
      ...(check.rules && { rules: check.rules }),
    },
    check.findings,
    velocity,
    peopleOnDevice,
    report,
  )
  const { id, org_id, mode, created_at } = check
  return { id, org_id, mode, request, result, explanation, created_at }
}
