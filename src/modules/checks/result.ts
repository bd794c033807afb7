/**
 * Concludes a check: turns its findings and the counts of its identities into the result that is
 * returned and the explanation that is stored. Pure.
 */

import { NO_CUSTOM_RULES, type RulesInEffect } from '../custom-rules/index.ts'
import type { PhoneSignals } from '../phone/index.ts'
import {
  type Adjustment,
  type Evidence,
  type EvidenceSignal,
  type ListMatch,
  type SignalShare,
  score,
  strengthOf,
} from '../risk/index.ts'
import { type AdjustedFindings, adjustCheck } from './adjusted.ts'
import { assessSharing } from './device.ts'
import { type AddressFacts, type StoredFacts, storedFacts } from './rule-facts.ts'
import type { CheckRequest, CheckResult } from './schema.ts'
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
  /** Facts about the client address; absent without any. */
  ip?: AddressFacts
}

export type CheckHead = {
  check_id: string
  email: string | undefined
  credits_used: number
  is_sandbox: boolean
  /** Absent in tests of single signals. */
  created_at?: Date
  /** The request, which custom rules read. */
  request?: Omit<CheckRequest, 'email'>
  /** Custom rules that apply; absent without any. */
  rules?: RulesInEffect
}

export type Explanation = {
  evidence: readonly Evidence[]
  shares: readonly SignalShare[]
  hard_floor: number
  /** What rules and lists have changed about the score; absent when they changed nothing. */
  adjustments?: readonly Adjustment[]
  /** What rules in shadow would have changed. */
  shadows?: readonly Adjustment[]
  /** Version of the rules, if some of them apply to checks. */
  rules_version?: number
  /** Minimum score before the adjustments. */
  floor_before?: number
  facts?: StoredFacts
}

export type Outcome = { result: CheckResult; explanation: Explanation }

/** The specification shows no other tier. */
const TIER = 'standard'

const NO_REQUEST = {}
const NO_TIME = new Date(0)

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
  const evidence = [...findings.evidence, ...counted.filter((one) => one !== undefined)]
  const { hard_floor } = findings
  const found = { strengths: strengthsOf(findings.email_signals, evidence), hard_floor, evidence }
  const stored = storedFacts(velocity, people_on_device, findings)
  const { request = NO_REQUEST, created_at = NO_TIME, email, rules } = head
  const subject = { request, created_at, email, phone: findings.phone_signals, stored }
  const adjusted = adjustCheck(found, subject, rules?.custom ?? NO_CUSTOM_RULES)
  return outcomeOf(head, findings.phone_signals, { adjusted, stored, floor_before: hard_floor })
}

function outcomeOf(
  { rules, request: _request, created_at: _time, ...head }: CheckHead,
  phone: PhoneSignals | undefined,
  { adjusted, stored, floor_before }: Concluded,
): Outcome {
  const { strengths, hard_floor, evidence, adjustments, shadows } = adjusted
  const { risk_score, risk_level, shares } = score(strengths, hard_floor)
  const signals = {
    domain_age_score: Math.round(strengths.domain_age),
    mx_score: Math.round(strengths.mx),
    disposable_score: Math.round(strengths.disposable),
    velocity_score: Math.round(strengths.velocity),
    ...(phone && { phone }),
  }
  const { email, check_id, ...rest } = head
  const isRuled = rules !== undefined && rules.custom.of('check').length > 0
  return {
    result: {
      check_id,
      ...(email !== undefined && { email }),
      risk_score,
      risk_level,
      signals,
      tier: TIER,
      ...rest,
    },
    explanation: {
      evidence,
      shares: shares.map((share) => ({ ...share, strength: Math.round(share.strength) })),
      hard_floor,
      ...(adjustments.length > 0 && { adjustments, floor_before }),
      ...(shadows.length > 0 && { shadows }),
      ...(isRuled && { rules_version: rules.version }),
      ...(Object.keys(stored).length > 0 && { facts: stored }),
    },
  }
}

type Concluded = { adjusted: AdjustedFindings; stored: StoredFacts; floor_before: number }

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
