/**
 * The signal of the mail route: whether the domain accepts mail, and whether it imitates another
 * domain.
 */
import type { Lookup } from '../../../platform/lookup.ts'
import type { Evidence } from '../../risk/index.ts'
import type { EmailAddress } from './address.ts'
import type { MailRoute } from './facts.ts'
import { LOOKALIKE_GRADES, MAIL_ROUTE_GRADES } from './grades.ts'
import type { DomainGrade } from './lists.ts'
import { findLookalike, isMailDomain } from './lookalike.ts'

export function assessMailRoute(
  route: Lookup<MailRoute>,
  address: EmailAddress,
  grade: DomainGrade,
): { score: number; evidence: Evidence[] } {
  const evidence = [routeFinding(route), lookalikeFinding(address, grade)].filter(
    (finding) => finding !== undefined,
  )
  return { score: Math.max(0, ...evidence.map(({ score }) => score)), evidence }
}

const ROUTE_DETAILS: Readonly<Record<MailRoute['status'], string>> = {
  mx: 'The domain names servers for its mail.',
  implicit_mx: 'The domain has no MX record, only an address (RFC 5321 section 5.1).',
  null_mx: 'The domain declares that it accepts no mail (RFC 7505).',
  no_mail: 'The domain exists but has neither MX nor address records.',
  nxdomain: 'The domain does not exist.',
}

function routeFinding(route: Lookup<MailRoute>): Evidence {
  if (!route.known) {
    const detail = `The mail servers are unknown (${route.reason}).`
    return { signal: 'mx', score: 0, finding: 'mail_route_unknown', detail }
  }
  const { status, points_inward } = route.value
  const isInward = points_inward && (status === 'mx' || status === 'implicit_mx')
  if (isInward) {
    const detail = 'The mail servers of the domain have private or loopback addresses.'
    const score = MAIL_ROUTE_GRADES.points_inward
    return { signal: 'mx', score, finding: 'mail_points_inward', detail }
  }
  const score = MAIL_ROUTE_GRADES[status]
  return { signal: 'mx', score, finding: status, detail: ROUTE_DETAILS[status] }
}

/** A known provider is not a lookalike, even one letter away from another (`ymail.com`). */
function lookalikeFinding(address: EmailAddress, grade: DomainGrade): Evidence | undefined {
  if (grade.class === 'free_mail' || grade.class === 'relay') return undefined
  const lookalike = findLookalike(address.domain)
  if (lookalike === undefined) return undefined
  if (lookalike.kind === 'typing_slip' && isMailDomain(lookalike.resembles)) {
    const detail = `${address.domain} is probably a typing error. Did you mean ${lookalike.resembles}?`
    const score = LOOKALIKE_GRADES.typing_slip_of_mail
    return { signal: 'mx', score, finding: 'lookalike_typing_slip', detail }
  }
  const score = LOOKALIKE_GRADES[lookalike.kind]
  const detail =
    lookalike.kind === 'mixed_scripts'
      ? `The label "${lookalike.label}" mixes letters of scripts that are not written together.`
      : `The domain can be mistaken for ${lookalike.resembles}.`
  return { signal: 'mx', score, finding: `lookalike_${lookalike.kind}`, detail }
}
