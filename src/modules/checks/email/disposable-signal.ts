/** The signal of disposable mailboxes: the lists, the facts that support them, and the local part. */
import type { Lookup } from '../../../platform/lookup.ts'
import type { Evidence } from '../../risk/index.ts'
import type { EmailAddress } from './address.ts'
import { ageInDays } from './domain-age-signal.ts'
import { describeDomainName } from './domain-name.ts'
import type { MailRoute, Registration } from './facts.ts'
import { DISPOSABLE_GRADES, LOCAL_PART_GRADES, NEW_DOMAIN_DAYS } from './grades.ts'
import type { DomainGrade } from './lists.ts'
import { describeLocalPart } from './local-part.ts'
import { findLookalike } from './lookalike.ts'

type DisposableFacts = {
  readonly address: EmailAddress
  readonly grade: DomainGrade
  readonly mail_route: Lookup<MailRoute>
  readonly registration: Lookup<Registration>
}

export function assessDisposable(
  facts: DisposableFacts,
  now: Date,
): { score: number; evidence: Evidence[] } {
  const listed = listFinding(facts, now)
  const evidence = [...(listed === undefined ? [] : [listed]), ...localPartFindings(facts.address)]
  return { score: Math.max(0, ...evidence.map(({ score }) => score)), evidence }
}

function listFinding(facts: DisposableFacts, now: Date): Evidence | undefined {
  const { class: listed, matched_domain, lists, via } = facts.grade
  const names = lists.join(', ')
  switch (listed) {
    case 'none':
      return undefined
    case 'free_mail':
      return evidenceOf(0, 'free_mail', `${matched_domain} is a public mail provider.`)
    case 'relay':
      return evidenceOf(
        DISPOSABLE_GRADES.relay,
        'relay',
        `${matched_domain} forwards to a mailbox that stays hidden.`,
      )
    case 'curated':
    case 'two_lists': {
      const slip = typingSlip(facts.address)
      if (slip) return slip
      const isHost = via === 'mail_host'
      const score = DISPOSABLE_GRADES[isHost ? (`${listed}_mail_host` as const) : listed]
      const subject = isHost ? `Mail goes to ${matched_domain}, which` : matched_domain
      return evidenceOf(score, `disposable_${listed}`, `${subject} is on the lists ${names}.`)
    }
    case 'one_list': {
      const slip = typingSlip(facts.address)
      if (slip) return slip
      const support = supportOf(facts, now)
      const detail = `${matched_domain} is on one list only (${names})`
      if (support !== undefined) {
        const { one_list_supported } = DISPOSABLE_GRADES
        const sentence = `${detail}, and ${support}.`
        return evidenceOf(one_list_supported, 'disposable_one_list_supported', sentence)
      }
      return evidenceOf(DISPOSABLE_GRADES.one_list, 'disposable_one_list', `${detail}.`)
    }
  }
}

/** Anyone who parks such a domain gets the mail of people who mistyped their own address. */
function typingSlip({ domain }: EmailAddress): Evidence | undefined {
  const lookalike = findLookalike(domain)
  if (lookalike?.kind !== 'typing_slip') return undefined
  const detail = `${domain} is probably a typing error. Did you mean ${lookalike.resembles}?`
  return evidenceOf(DISPOSABLE_GRADES.typing_slip, 'typing_slip', detail)
}

/** A single big list is sometimes wrong; a second, independent reason removes most of the doubt. */
function supportOf(facts: DisposableFacts, now: Date): string | undefined {
  const route = facts.mail_route
  if (
    route.known &&
    (!['mx', 'implicit_mx'].includes(route.value.status) || route.value.points_inward)
  ) {
    return 'the domain accepts no mail'
  }
  const days = ageInDays(facts.registration, now)
  if (days !== undefined && days < NEW_DOMAIN_DAYS) {
    return `the domain is ${Math.floor(days)} days old`
  }
  const name = describeDomainName(facts.address.registrable_domain)
  return name === undefined ? undefined : `its name has a ${name.replaceAll('_', ' ')}`
}

function localPartFindings({ local, domain }: EmailAddress): Evidence[] {
  return describeLocalPart(local, domain).map((finding) =>
    evidenceOf(
      LOCAL_PART_GRADES[finding],
      `local_part_${finding}`,
      `The part before the @ stands out: ${finding.replaceAll('_', ' ')}.`,
    ),
  )
}

function evidenceOf(score: number, finding: string, detail: string): Evidence {
  return { signal: 'disposable', score, finding, detail }
}
