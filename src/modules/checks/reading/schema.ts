/** Responses of the console about checks: the history, and one check with its explanation. */
import type { RiskLevel, ShownAdjustment } from '../../risk/index.ts'

export type CheckListItem = {
  id: string
  created_at: Date
  risk_score: number
  risk_level: RiskLevel
  /** Each of these is null when it was not sent. */
  email: string | null
  phone: string | null
  fingerprint_hash: string | null
  event_type: string | null
  event_id: string | null
  /** Strongest signal, null when nothing was found. */
  signal: string | null
}

export type CheckPage = {
  checks: CheckListItem[]
  next_cursor: string | null
  /** Time that the search reached without filling the page; null for a full page or the last one. */
  examined_until: Date | null
}

/** One finding behind a signal. */
export type CheckFinding = {
  finding: string
  /** Strength 0-100. */
  strength: number
  detail: string
  /** Whether it is the strongest finding of its signal, which determines the signal's strength. */
  counts: boolean
}

/** A signal that contributed to the score. */
export type CheckPart = {
  signal: string
  /** 0-100 */
  strength: number
  /** Part of the full score that the signal alone can reach, 0-1. */
  weight: number
  /** Part of the score before a floor raised it, 0-1. */
  share: number
  /** The share in points; the points of all parts and of the floor add up to the score. */
  points: number
  findings: CheckFinding[]
}

/** A fact that is unknown and added no risk. */
export type CheckUnknown = {
  /** Name of the fact, in words. */
  what: string
  /** Reason, in words. */
  why: string
  /** Whether the source was unavailable, so that a later check may get an answer. */
  is_unavailable: boolean
}

export type CheckExplanation = {
  risk_score: number
  parts: CheckPart[]
  /** Minimum score of an address that cannot receive mail, and the points it adds; null without. */
  floor: { score: number; points: number; reason: string } | null
  /** Findings that added nothing to the score. */
  silent: (Pick<CheckFinding, 'finding' | 'detail'> & { signal: string })[]
  unknowns: CheckUnknown[]
  /** What rules and lists have changed about the score, in the sequence of the changes. */
  adjustments: ShownAdjustment[]
  /** What rules in shadow would have changed. */
  shadows: ShownAdjustment[]
}

export type CheckedPhone = {
  is_valid: boolean
  carrier: string | null
  line_type: string | null
  country_code: string | null
  recent_sim_swap: boolean
  sim_swap_date: string | null
  ported: boolean
  ported_date: string | null
}

/** The members of the request that are stored. */
export type StoredRequest = {
  email: string | null
  phone: string | null
  device: Record<string, unknown> | null
  behavior: Record<string, unknown> | null
  event_type: string | null
  event_id: string | null
  metadata: Record<string, unknown> | null
}

export type CheckDetails = {
  id: string
  mode: 'live' | 'test'
  created_at: Date
  risk_score: number
  risk_level: RiskLevel
  credits_used: number
  request: StoredRequest
  /** Signals of the result, 0-100 each. */
  signals: {
    domain_age_score: number
    mx_score: number
    disposable_score: number
    velocity_score: number
  }
  phone: CheckedPhone | null
  explanation: CheckExplanation
}

/** A value with a fixed outcome in test mode. */
export type SandboxValue = {
  description: string
  /** Both null when no check completes. */
  risk_score: number | null
  risk_level: RiskLevel | null
}

export type CheckSandbox = {
  emails: (SandboxValue & { email: string })[]
  phone_numbers: (SandboxValue & { phone: string })[]
  /** Effect of each event type, by name. */
  event_types: Record<string, string>
}
