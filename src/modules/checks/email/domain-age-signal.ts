/** The signal of a domain's age: fraud prefers domains that are days old. */
import type { Lookup } from '../../../platform/lookup.ts'
import type { Evidence } from '../../risk/index.ts'
import type { MailRoute, Registration } from './facts.ts'
import { AGE_GRADES, NOT_REGISTERED } from './grades.ts'

const DAY_MS = 86_400_000

export function assessDomainAge(
  registration: Lookup<Registration>,
  route: Lookup<MailRoute>,
  now: Date,
): { score: number; evidence: Evidence[] } {
  if (!registration.known) {
    const detail = `The registration date was not learnt (${registration.reason}).`
    return finding(0, 'registration_unknown', detail)
  }
  if (registration.value.status === 'not_registered') return notRegistered(route)
  const days = ageInDays(registration, now)
  if (days === undefined) {
    return finding(0, 'registration_date_missing', 'The registry does not tell the date.')
  }
  const score = AGE_GRADES.find(({ below_days }) => days < below_days)?.score ?? 0
  const detail = `The domain was registered ${Math.floor(days)} days ago.`
  return finding(score, score === 0 ? 'registered_long_ago' : 'registered_recently', detail)
}

/** Undefined when not known; a date in the future is a clock that differs, so age 0. */
export function ageInDays(registration: Lookup<Registration>, now: Date): number | undefined {
  if (!registration.known || registration.value.registered_at === null) return undefined
  const ageMs = now.getTime() - Date.parse(registration.value.registered_at)
  return Number.isFinite(ageMs) ? Math.max(0, ageMs / DAY_MS) : undefined
}

/**
 * Some registries know only part of their names, so a domain that resolves is believed; and while
 * the name service is away, its silence must not count against anybody (open point 6).
 */
function notRegistered(route: Lookup<MailRoute>): { score: number; evidence: Evidence[] } {
  const isMissing = route.known && route.value.status === 'nxdomain'
  return isMissing
    ? finding(NOT_REGISTERED, 'not_registered', 'The registry says that the domain is free.')
    : finding(0, 'registry_without_record', 'The registry has no record; the name may exist.')
}

function finding(score: number, name: string, detail: string) {
  const evidence: Evidence = { signal: 'domain_age', score, finding: name, detail }
  return { score, evidence: [evidence] }
}
