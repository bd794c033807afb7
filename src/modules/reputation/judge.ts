/**
 * Combines the opinions of organizations about an identity. Opinions decay. An organization's
 * opinion counts fully for itself. For others it counts only if the organization is established or
 * trusted, together with those of the same owners as one voice, and only once enough independent
 * voices agree. So no owner can spoil an identity for all (fraud research 3.7).
 */
import { DAY_MS } from '../../platform/time-units.ts'

export type Reputation = {
  /** Strength of the own opinion or that of the others, whichever is greater, 0-100. */
  score: number
  /** Strength of the other voices' opinions as far as the own voice supports them, 0-100. */
  shared: number
  /** Balance of the own opinion; positive is bad. */
  own: number
  /** Number of other voices with a bad opinion that counts. */
  others: number
}

/** Facts about the organization of an opinion that decide whether it counts for others. */
export type Speaker = {
  /** Null until the recurring job has seen the organization. */
  voice_id: string | null
  /** The operator's word; null leaves it to age and requests. */
  is_trusted: boolean | null
  since: Date | null
  /** Scored requests in the mode of the opinion. */
  requests: number | null
}

export type Opinion = Speaker & {
  is_own: boolean
  /** Whether the organization shares its voice with the one that sent the request. */
  is_own_voice: boolean
  bad: number
  good: number
  /** The part of `bad` that counts for other organizations. */
  shared_bad: number
  updated_at: Date
}

/** Settings of the operator. */
export type SharingRule = {
  reputation_age_days: number
  reputation_requests: number
  reputation_voices: number
}

/** Why the opinions of an organization do not count for others. */
export type Hindrance = 'distrusted' | 'too_young' | 'too_few_requests'

export const HALF_LIFE_DAYS = 75
/** Maximum weight of one organization, regardless of repetition. */
export const WEIGHT_MAX = 3
/** Balance from which a voice agrees. */
export const AGREEMENT_MIN = 0.5

const OWN_SCORE_MAX = 90
const AGREED_SCORE = 60
/** When more voices agree than are needed. */
const WIDELY_AGREED_SCORE = 80

export function judge(opinions: readonly Opinion[], now: Date, rule: SharingRule): Reputation {
  const own = opinions.find(({ is_own }) => is_own)
  const ownBalance = own ? fade(own.bad - own.good, own.updated_at, now) : 0
  const siblings = opinions.filter((one) => !one.is_own && one.is_own_voice)
  const strangers = opinions.filter((one) => !one.is_own && !one.is_own_voice)
  const ownVoice = sumOf(voiceBalances(siblings, now, rule)) + ownBalance
  const others = [...voiceBalances(strangers, now, rule).values()].filter(agrees).length
  const agreeing = others + (others > 0 && agrees(ownVoice) ? 1 : 0)
  // A good opinion of the organization overrides those of others.
  const shared = ownBalance <= -AGREEMENT_MIN ? 0 : sharedScore(agreeing, rule)
  const ownScore = OWN_SCORE_MAX * Math.min(1, Math.max(0, ownBalance))
  return { score: Math.round(Math.max(ownScore, shared)), shared, own: ownBalance, others }
}

/** Sums the opinions that count for others by voice; contradictory ones of one voice cancel out. */
export function voiceBalances(
  opinions: readonly Opinion[],
  now: Date,
  rule: SharingRule,
): Map<string, number> {
  const balances = new Map<string, number>()
  for (const opinion of opinions) {
    const { voice_id } = opinion
    if (voice_id === null || hindranceOf(opinion, now, rule) !== undefined) continue
    const balance = fade(opinion.shared_bad - opinion.good, opinion.updated_at, now)
    balances.set(voice_id, (balances.get(voice_id) ?? 0) + balance)
  }
  return balances
}

/** @returns undefined when the opinions of the organization count for others */
export function hindranceOf(
  { is_trusted, since, requests }: Speaker,
  now: Date,
  { reputation_age_days, reputation_requests }: SharingRule,
): Hindrance | undefined {
  if (is_trusted !== null) return is_trusted ? undefined : 'distrusted'
  if (since === null || now.getTime() - since.getTime() < reputation_age_days * DAY_MS) {
    return 'too_young'
  }
  return (requests ?? 0) < reputation_requests ? 'too_few_requests' : undefined
}

export const agrees = (balance: number): boolean => balance >= AGREEMENT_MIN

function sharedScore(agreeing: number, { reputation_voices }: SharingRule): number {
  if (agreeing < reputation_voices) return 0
  return agreeing === reputation_voices ? AGREED_SCORE : WIDELY_AGREED_SCORE
}

const sumOf = (balances: ReadonlyMap<string, number>): number =>
  [...balances.values()].reduce((sum, balance) => sum + balance, 0)

/** Returns the decayed weight; clock differences between nodes never reduce it. */
export function fade(weight: number, at: Date, now: Date): number {
  const days = Math.max(0, now.getTime() - at.getTime()) / DAY_MS
  return weight * 0.5 ** (days / HALF_LIFE_DAYS)
}
