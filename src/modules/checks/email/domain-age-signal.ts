/** The signal of the domain's age: fraudsters prefer domains that are days old. */

import type { Lookup } from '../../../platform/lookup.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import type { Evidence } from '../../risk/index.ts'
import type { MailRoute, Registration } from './facts.ts'
import { AGE_GRADES, NOT_REGISTERED } from './grades.ts'

export function assessDomainAge(
  registration: Lookup<Registration>,
  route: Lookup<MailRoute>,
  now: Date,
): { score: number; evidence: Evidence[] } {
  if (!registration.known) {
    const detail = `The registration date is unknown (${registration.reason}).`
    return finding(0, 'registration_unknown', detail)
  }
  if (registration.value.status === 'not_registered') return notRegistered(route)
  const days = ageInDays(registration, now)
  if (days === undefined) {
    return finding(0, 'registration_date_missing', 'The registry does not publish the date.')
  }
  const score = AGE_GRADES.find(({ below_days }) => days < below_days)?.score ?? 0
  const detail = `The domain was registered ${Math.floor(days)} days ago.`
  return finding(score, score === 0 ? 'registered_long_ago' : 'registered_recently', detail)
}

/** Undefined when unknown. A date in the future means that clocks differ, so the age is 0. */
export function ageInDays(registration: Lookup<Registration>, now: Date): number | undefined {
  if (!registration.known || registration.value.registered_at === null) return undefined
  const ageMs = now.getTime() - Date.parse(registration.value.registered_at)
  return Number.isFinite(ageMs) ? Math.max(0, ageMs / DAY_MS) : undefined
}

/**
 * Some registries know only part of their domains, so a domain that resolves is taken to exist. While
 * DNS is unavailable, the missing record adds no risk either (OP-6).
 */
function notRegistered(route: Lookup<MailRoute>): { score: number; evidence: Evidence[] } {
  const isMissing = route.known && route.value.status === 'nxdomain'
  return isMissing
    ? finding(NOT_REGISTERED, 'not_registered', 'The registry says that the domain is free.')
    : finding(0, 'registry_without_record', 'The registry has no record, but the domain may exist.')
}

function finding(score: number, name: string, detail: string) {
  const evidence: Evidence = { signal: 'domain_age', score, finding: name, detail }
  return { score, evidence: [evidence] }
}
