/** What the console reads of checks: the history, and one check with the reasons for its score. */
import type { RiskLevel } from '../../risk/index.ts'

export type CheckListItem = {
  id: string
  created_at: Date
  risk_score: number
  risk_level: RiskLevel
  /** Each null when the check was not about it. */
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
  /** How far back was looked when a filter left too few; null when the page is full or at the end. */
  examined_until: Date | null
}

/** One finding behind a signal. */
export type CheckFinding = {
  finding: string
  /** Strength 0-100. */
  strength: number
  detail: string
  /** Whether it is the strongest of its signal: a signal is as strong as that one. */
  counts: boolean
}

/** A signal that made a part of the score. */
export type CheckPart = {
  signal: string
  /** 0-100 */
  strength: number
  /** How much of the score the signal can make on its own, 0-1. */
  weight: number
  /** Part of the score before a floor lifted it, 0-1. */
  share: number
  /** The same in points; the points of all parts and of the floor add up to the score. */
  points: number
  findings: CheckFinding[]
}

/** What could not be learnt, or was not asked; it counted nothing. */
export type CheckUnknown = {
  /** What is not known, in words. */
  what: string
  /** Why, in words. */
  why: string
  /** Whether the source was away: asked later it may answer. */
  is_away: boolean
}

export type CheckExplanation = {
  risk_score: number
  parts: CheckPart[]
  /** Least score, for what cannot receive mail, and the points that it adds; null without one. */
  floor: { score: number; points: number; reason: string } | null
  /** Looked at, and counted nothing. */
  silent: (Pick<CheckFinding, 'finding' | 'detail'> & { signal: string })[]
  unknowns: CheckUnknown[]
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

/** What was sent, as far as it was kept. */
export type CheckAsked = {
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
  asked: CheckAsked
  /** As it was answered, 0-100 each. */
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
  /** Name → what it changes. */
  event_types: Record<string, string>
}
