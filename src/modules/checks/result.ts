/**
 * Concludes a check: turns its findings and the counts of its identities into the result that is
 * returned and the explanation that is stored. Pure.
 */

import type { PhoneSignals } from '../phone/index.ts'
import type { ListMatch } from '../risk/index.ts'
import {
  type Adjustment,
  type Evidence,
  type EvidenceSignal,
  type SignalShare,
  score,
  strengthOf,
} from '../risk/index.ts'
import { adjustCheck } from './adjusted.ts'
import { assessSharing } from './device.ts'
import type { CheckResult } from './schema.ts'
import { assessReportUse, type ReportUse } from './signed-report/assess.ts'
import { assessVelocity, type VelocityFact } from './velocity/velocity.ts'

/** All findings about a check that do not depend on counters. */
export type Findings = {
  email_signals: { domain_age_score: number; mx_score: number; disposable_score: number }
  phone_signals: PhoneSignals | undefined
  evidence: readonly Evidence[]
  hard_floor: number
  /** How likely two devices with this fingerprint are the same one, 0 to 1; absent: certain. */
  fingerprint_confidence?: number
  /** Entries of the organization's lists that the check matches; absent without any. */
  lists?: readonly ListMatch[]
}

export type CheckHead = {
  check_id: string
  email: string | undefined
  credits_used: number
  is_sandbox: boolean
}

export type Explanation = {
  evidence: readonly Evidence[]
  shares: readonly SignalShare[]
  hard_floor: number
  /** What lists have changed about the score; absent when they changed nothing. */
  adjustments?: readonly Adjustment[]
}

export type Outcome = { result: CheckResult; explanation: Explanation }

/** The specification shows no other tier. */
const TIER = 'standard'

export function conclude(
  head: CheckHead,
  findings: Findings,
  velocity: readonly VelocityFact[],
  people_on_device: number,
  report?: ReportUse,
): Outcome {
  const { fingerprint_confidence = 1 } = findings
  const counted = [
    ...velocity.map((fact) =>
      fact.kind === 'device'
        ? weakened(assessVelocity(fact), fingerprint_confidence)
        : assessVelocity(fact),
    ),
    weakened(assessSharing(people_on_device), fingerprint_confidence),
    report && assessReportUse(report),
  ]
  const found = [...findings.evidence, ...counted.filter((one) => one !== undefined)]
  const { strengths, hard_floor, evidence, adjustments } = adjustCheck(
    {
      strengths: strengthsOf(findings.email_signals, found),
      hard_floor: findings.hard_floor,
      evidence: found,
    },
    findings.lists,
  )
  const { risk_score, risk_level, shares } = score(strengths, hard_floor)
  const signals = {
    domain_age_score: Math.round(strengths.domain_age),
    mx_score: Math.round(strengths.mx),
    disposable_score: Math.round(strengths.disposable),
    velocity_score: Math.round(strengths.velocity),
    ...(findings.phone_signals && { phone: findings.phone_signals }),
  }
  const { email, ...rest } = head
  return {
    result: {
      check_id: rest.check_id,
      ...(email !== undefined && { email }),
      risk_score,
      risk_level,
      signals,
      tier: TIER,
      credits_used: rest.credits_used,
      is_sandbox: rest.is_sandbox,
    },
    explanation: {
      evidence,
      shares: shares.map((share) => ({ ...share, strength: Math.round(share.strength) })),
      hard_floor,
      ...(adjustments.length > 0 && { adjustments }),
    },
  }
}

/** Browsers that look alike share a fingerprint, and so do their people. */
const weakened = (evidence: Evidence | undefined, confidence: number): Evidence | undefined =>
  evidence && { ...evidence, score: Math.round(evidence.score * confidence) }

const strengthsOf = (
  { domain_age_score, mx_score, disposable_score }: Findings['email_signals'],
  evidence: readonly Evidence[],
): Record<EvidenceSignal, number> => ({
  domain_age: domain_age_score,
  mx: mx_score,
  disposable: disposable_score,
  velocity: strengthOf(evidence, 'velocity'),
  phone: strengthOf(evidence, 'phone'),
  device: strengthOf(evidence, 'device'),
  ip: strengthOf(evidence, 'ip'),
})
