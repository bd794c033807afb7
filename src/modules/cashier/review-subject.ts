/**
 * Connects cashier actions to the review queue. A decision about an action applies to the cashier: if
 * the cashier has a profile, it changes the risk of that profile as a decided order does.
 */

import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Row } from '../../platform/postgres/rows.ts'
import type { StateId, States } from '../../platform/states/index.ts'
import {
  forgetRiskDecision,
  learnRiskDecision,
  type ProfileState,
  profileRecord,
  riskChangedRow,
} from '../profiles/index.ts'
import type { Label, ReviewSubject, Subject } from '../reviews/index.ts'
import { caseFactsOfAction } from './case-facts.ts'
import { explainAction } from './explain.ts'
import { recordedAction } from './step.ts'
import { findWholeActions, type WholeAction } from './store.ts'

export type CashierReviewDependencies = { db: Database; newId: NewId; stateId: StateId }

export function createCashierReviews(deps: CashierReviewDependencies): ReviewSubject {
  const findOne = async (orgId: string, id: string): Promise<WholeAction | undefined> =>
    (await findWholeActions(deps.db, id, { org_id: orgId }))[0]

  return {
    // A cashier has many actions, so the external id of the cashier does not identify one.
    find: async (name, scope) =>
      isUuid(name) ? (await findWholeActions(deps.db, name, scope)).map(subjectOf) : [],
    describe: async (orgId, id) => {
      const action = await findOne(orgId, id)
      if (!action) return undefined
      const { request, fraud, measurements } = action
      return {
        ...recordedAction(action),
        request,
        measurements: measurements.signals,
        explained: explainAction(fraud, measurements.signals),
      }
    },
    caseFacts: async (orgId, id) => {
      const action = await findOne(orgId, id)
      return action && caseFactsOfAction(action.request, action.measurements.context)
    },
    labeling: async ({ org_id, id }) => {
      const action = await findOne(org_id, id)
      return action && labelingOf(deps, action)
    },
  }
}

function subjectOf({ org_id, mode, id, request, fraud }: WholeAction): Subject {
  const { cashier_external_id: external_id } = request
  return { org_id, mode, id, external_id, risk_score: fraud.risk_score, flags: fraud.flags }
}

function labelingOf({ newId, stateId }: CashierReviewDependencies, action: WholeAction) {
  const { org_id, mode, request } = action
  const external_id = request.cashier_external_id
  const profileId = stateId(action, 'profile', external_id)
  return {
    keys: [profileId],
    identities: [],
    was_flagged: true,
    learn: (states: States, label: Label, previous: Label | undefined) => {
      const before = states.get(profileId) as ProfileState | undefined
      if (before === undefined) return { states: [], rows: [], after_seq: 0 }
      const now = label.decided_at
      const profile = withDecision(before, action, label, previous)
      const rows: Row[] = []
      const record = profileRecord({ id: profileId, external_id }, profile, now)
      if (profile.risk.level !== before.risk.level) {
        const previous_risk_level = before.risk.level
        const data = { profile: record, previous_risk_level }
        rows.push(riskChangedRow(newId, { org_id, mode }, data, now))
      }
      const changed = { id: profileId, kind: 'profile', value: profile, updated_at: now }
      return { states: [changed], rows, after_seq: 0 }
    },
  }
}

function withDecision(
  profile: ProfileState,
  { fraud, performed_at }: WholeAction,
  { decision, decided_at }: Label,
  previous: Label | undefined,
): ProfileState {
  const scored = { risk_score: fraud.risk_score, at_ms: performed_at.getTime() }
  const now_ms = decided_at.getTime()
  const cleared = previous
    ? forgetRiskDecision(
        profile.risk,
        scored,
        { decision: previous.decision, decided_at_ms: previous.decided_at.getTime() },
        now_ms,
      )
    : profile.risk
  return { ...profile, risk: learnRiskDecision(cleared, scored, decision, now_ms) }
}
