/** Names the facts of a check that are unknown, with the reasons in words. Pure. */
import type { LookupFailure } from '../../../platform/lookup.ts'
import type { Evidence } from '../../risk/index.ts'
import type { CheckUnknown } from './schema.ts'

const WHAT: Readonly<Record<string, string>> = {
  registration_unknown: 'Registration date of the domain',
  registration_date_missing: 'Registration date of the domain',
  registry_without_record: 'Registration date of the domain',
  mail_route_unknown: 'Mail servers of the domain',
}

const WHY: Readonly<Record<LookupFailure, string>> = {
  timeout: 'The source did not answer before the deadline of the check',
  unreachable: 'The source could not be reached',
  rate_limited: 'The source limits the rate of requests',
  overloaded: 'Too many look-ups were in progress',
  refused: 'The source refused to answer',
  server_error: 'The source reported an internal error',
  bad_answer: 'The answer of the source could not be read',
  not_configured: 'This look-up is turned off in the settings',
  not_applicable: 'The look-up was skipped because the domain is well known',
}

/** Reasons that a later look-up would not change. */
const PERMANENT: readonly string[] = ['not_configured', 'not_applicable']

export const isUnknown = ({ finding }: Evidence): boolean => Object.hasOwn(WHAT, finding)

export function unknownsOf(
  evidence: readonly Evidence[],
  phone: { carrier: string | null; line_type: string | null; ported: boolean } | undefined,
): CheckUnknown[] {
  const unknowns = evidence.filter(isUnknown).map(unknownOf)
  if (phone === undefined) return unknowns
  const add = (what: string, why: string) => unknowns.push({ what, why, is_unavailable: false })
  if (phone.carrier === null) {
    const why = phone.ported
      ? 'The number was ported, and its new carrier is not published'
      : 'The range of the number is not in the table of carriers'
    add('Carrier of the number', why)
  }
  if (phone.line_type === null) {
    add('Line type of the number', 'The numbering plan does not distinguish line types')
  }
  return unknowns
}

function unknownOf({ finding, detail }: Evidence): CheckUnknown {
  const what = WHAT[finding] ?? finding
  // The detail of a failed look-up ends with its reason in parentheses.
  const reason = /\(([a-z_]+)\)\.$/.exec(detail)?.[1]
  if (reason === undefined || !Object.hasOwn(WHY, reason)) {
    return { what, why: detail.replace(/\.$/, ''), is_unavailable: false }
  }
  return { what, why: WHY[reason as LookupFailure], is_unavailable: !PERMANENT.includes(reason) }
}
