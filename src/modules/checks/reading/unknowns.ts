/** What could not be learnt about a check and why, in words. Pure. */
import type { LookupFailure } from '../../../platform/lookup.ts'
import type { Evidence } from '../../risk/index.ts'
import type { CheckUnknown } from './schema.ts'

const WHAT: Readonly<Record<string, string>> = {
  registration_unknown: 'When the domain was registered',
  registration_date_missing: 'When the domain was registered',
  registry_without_record: 'When the domain was registered',
  mail_route_unknown: 'Which servers take the mail of the domain',
}

const WHY: Readonly<Record<LookupFailure, string>> = {
  timeout: 'The source did not answer before the deadline of the check',
  unreachable: 'The source could not be reached',
  rate_limited: 'The source had been asked too often',
  overloaded: 'Too many look-ups were under way',
  refused: 'The source refused to answer',
  server_error: 'The source answered with an error of its own',
  bad_answer: 'The answer of the source could not be read',
  not_configured: 'This look-up is turned off in the settings',
  not_applicable: 'It was not asked, because the domain is well known',
}

/** What asking again would not change. */
const NOT_AWAY: readonly string[] = ['not_configured', 'not_applicable']

export const isUnknown = ({ finding }: Evidence): boolean => Object.hasOwn(WHAT, finding)

export function unknownsOf(
  evidence: readonly Evidence[],
  phone: { carrier: string | null; line_type: string | null; ported: boolean } | undefined,
): CheckUnknown[] {
  const unknowns = evidence.filter(isUnknown).map(unknownOf)
  if (phone === undefined) return unknowns
  const add = (what: string, why: string) => unknowns.push({ what, why, is_away: false })
  if (phone.carrier === null) {
    const why = phone.ported
      ? 'The number was taken along to another carrier, and nobody tells to which'
      : 'The range of the number is in no table of carriers'
    add('The carrier of the number', why)
  }
  if (phone.line_type === null) {
    add('Whether it is a mobile, a landline or a VoIP number', 'The numbering plan does not tell')
  }
  return unknowns
}

function unknownOf({ finding, detail }: Evidence): CheckUnknown {
  const what = WHAT[finding] ?? finding
  // The sentence of a look-up that failed ends with the class of the reason.
  const reason = /\(([a-z_]+)\)\.$/.exec(detail)?.[1]
  if (reason === undefined || !Object.hasOwn(WHY, reason)) {
    return { what, why: detail.replace(/\.$/, ''), is_away: false }
  }
  return { what, why: WHY[reason as LookupFailure], is_away: !NOT_AWAY.includes(reason) }
}
