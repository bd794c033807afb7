/**
 * Outcomes of orders that become known after the fact, such as chargebacks. Each is a decision about
 * its order, dated by the report: what is learned from it is as old as the outcome, and an outcome
 * that is older than the decision about its order changes nothing. So a file can be sent again.
 */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Imported } from '../../../platform/imported.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { Writer } from '../../../platform/postgres/rows.ts'
import type { Lane } from '../../../platform/states/index.ts'
import type { insertAudit } from '../../audit/index.ts'
import type { OpinionChange } from '../../reputation/index.ts'
import { decisionStep } from '../decision-step.ts'
import type { ReviewSubject } from '../subject.ts'
import { readOutcome } from './read.ts'
import type { OutcomeReport } from './schema.ts'

export type Outcomes = {
  /**
   * Returns a result for each report, in the order of the reports.
   * @param source who reports, and whether subscribers of webhooks learn of changed profiles, which they
   *   do not during an import
   */
  report(
    owner: Owner,
    reports: readonly OutcomeReport[],
    source: { by: string; emits: boolean },
  ): Promise<OutcomeResult[]>
}

/** `known` means that the decision about the order was the same already. */
export type OutcomeResult = Imported

export type OutcomesDependencies = {
  db: Database
  lane: Pick<Lane, 'submit'>
  clock: Clock
  newId: NewId
  orders: ReviewSubject
  opinions: Writer<OpinionChange>
  audit: typeof insertAudit
}

type Source = Parameters<Outcomes['report']>[2]

/** Outcomes that are applied at the same time; each needs a few queries before its step. */
const TOGETHER_MAX = 16

export function createOutcomes(deps: OutcomesDependencies): Outcomes {
  return {
    report: async (owner, reports, source) => {
      const results: OutcomeResult[] = []
      for (const group of groupsOf(reports)) {
        results.push(
          ...(await Promise.all(
            group.map(async (report) => await applyReport(deps, owner, report, source)),
          )),
        )
      }
      await audit(deps, owner, results, source)
      return results
    },
  }
}

/** Several outcomes of one order are in different groups, so they are applied in their order. */
function* groupsOf(reports: readonly OutcomeReport[]): Generator<OutcomeReport[]> {
  let group: OutcomeReport[] = []
  let names = new Set<string>()
  for (const report of reports) {
    if (group.length === TOGETHER_MAX || names.has(report.external_order_id)) {
      yield group
      group = []
      names = new Set()
    }
    group.push(report)
    names.add(report.external_order_id)
  }
  if (group.length > 0) yield group
}

async function applyReport(
  deps: OutcomesDependencies,
  owner: Owner,
  report: OutcomeReport,
  { by, emits }: Source,
): Promise<OutcomeResult> {
  const now = deps.clock.now()
  const read = readOutcome(report, now)
  if ('field' in read) return read
  const found = await deps.orders.find(report.external_order_id, owner)
  const subject = found.find(({ external_id }) => external_id === report.external_order_id)
  const labeling = subject && (await deps.orders.labeling(subject))
  if (!labeling) {
    return {
      field: 'external_order_id',
      message: `No order has the external_order_id ${report.external_order_id}`,
    }
  }
  const { decision, at, note } = read
  const step = decisionStep(
    {
      kind: 'order',
      subject,
      labeling,
      review_id: undefined,
      new_id: deps.newId(now),
      label: { decision, decided_at: at },
      decided_by: by,
      note,
      dated: { applied_at: now, emits },
    },
    deps.opinions,
  )
  const { changed, is_outdated } = await deps.lane.submit(step)
  if (is_outdated !== true) return changed ? 'added' : 'known'
  const message = 'date is before that of the decision about the order, which stays'
  return { field: 'date', message }
}

async function audit(
  { db, clock, newId, audit: write }: OutcomesDependencies,
  { org_id, mode }: Owner,
  results: readonly OutcomeResult[],
  { by }: Source,
): Promise<void> {
  const at = clock.now()
  const count = (of: (result: OutcomeResult) => boolean) => results.filter(of).length
  await write(db, org_id, {
    id: newId(at),
    at,
    actor_user_id: isUuid(by) ? by : null,
    action: 'outcomes.reported',
    target: `${results.length} ${results.length === 1 ? 'outcome' : 'outcomes'}`,
    details: {
      mode,
      decided: count((result) => result === 'added'),
      unchanged: count((result) => result === 'known'),
      refused: count((result) => typeof result === 'object'),
    },
  })
}
