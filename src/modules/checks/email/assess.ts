/**
 * Assesses the e-mail of a check: turns facts into three signals with their evidence. Pure; unknown
 * facts add no risk (OP-6).
 */
import type { Lookup } from '../../../platform/lookup.ts'
import type { Evidence } from '../../risk/index.ts'
import type { EmailAddress, ParsedAddress } from './address.ts'
import { canonicalAddress, patternKey } from './canonical.ts'
import { assessDisposable } from './disposable-signal.ts'
import { assessDomainAge } from './domain-age-signal.ts'
import type { MailRoute, Registration } from './facts.ts'
import { UNDELIVERABLE_FLOOR } from './grades.ts'
import type { DomainGrade } from './lists.ts'
import { assessMailRoute } from './mail-route-signal.ts'

export type EmailFacts = {
  /** From `parseAddress`. */
  readonly address: ParsedAddress
  /** From `gradeDomain`, or from `withMailHosts` once the mail hosts are known. */
  readonly grade: DomainGrade
  readonly mail_route: Lookup<MailRoute>
  readonly registration: Lookup<Registration>
}

export type EmailIdentity = {
  /** One spelling per mailbox: a key for counting, never an address to send mail to. */
  readonly canonical: string
  readonly domain: string
  readonly registrable_domain: string
  readonly is_free_mail: boolean
  readonly is_relay: boolean
  /** Key shared by the mailboxes of a numbered series; null without a number. */
  readonly pattern_key: string | null
}

export type EmailAssessment = {
  /** Integers 0-100; 0 means no evidence or an unknown fact. */
  readonly signals: {
    readonly domain_age_score: number
    readonly mx_score: number
    readonly disposable_score: number
  }
  /** Minimum score of the whole check: 95 for an address that cannot receive mail, else 0. */
  readonly hard_floor: number
  readonly evidence: readonly Evidence[]
  /** Null when the syntax is invalid, so that nothing is counted. */
  readonly identity: EmailIdentity | null
}

export function assessEmail(facts: EmailFacts, now: Date): EmailAssessment {
  if (!facts.address.is_valid) return invalidAddress(facts.address.fault)
  const { address } = facts.address
  const age = assessDomainAge(facts.registration, facts.mail_route, now)
  const route = assessMailRoute(facts.mail_route, address, facts.grade)
  const disposable = assessDisposable({ ...facts, address }, now)
  return {
    signals: {
      domain_age_score: age.score,
      mx_score: route.score,
      disposable_score: disposable.score,
    },
    hard_floor: isUndeliverable(facts.mail_route) ? UNDELIVERABLE_FLOOR : 0,
    evidence: [...age.evidence, ...route.evidence, ...disposable.evidence],
    identity: identityOf(address, facts.grade),
  }
}

function invalidAddress(fault: string): EmailAssessment {
  const detail = `The address breaks the rules of RFC 5321: ${fault.replaceAll('_', ' ')}.`
  return {
    signals: { domain_age_score: 0, mx_score: 100, disposable_score: 0 },
    hard_floor: UNDELIVERABLE_FLOOR,
    evidence: [{ signal: 'mx', score: 100, finding: 'invalid_address', detail }],
    identity: null,
  }
}

function isUndeliverable(route: Lookup<MailRoute>): boolean {
  return route.known && (route.value.status === 'nxdomain' || route.value.status === 'null_mx')
}

function identityOf(address: EmailAddress, grade: DomainGrade): EmailIdentity {
  const canonical = canonicalAddress(address)
  return {
    canonical,
    domain: address.domain,
    registrable_domain: address.registrable_domain,
    is_free_mail: grade.class === 'free_mail',
    is_relay: grade.class === 'relay',
    pattern_key: patternKey(canonical),
  }
}
