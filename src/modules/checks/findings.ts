/**
 * Gathers the findings of a check before its deadline: look-ups run in parallel, late ones finish in
 * the background, and unknown facts add no risk.
 */

import type { Clock } from '../../platform/clock.ts'
import type { KeyedHash } from '../../platform/crypto/keyed-hash.ts'
import { type Lookup, unknown } from '../../platform/lookup.ts'
import type {
  Fetch,
  LookupCache,
  LookupDeadline,
  LookupSource,
} from '../../platform/lookup-cache/index.ts'
import { DAY_SECONDS, MINUTE_SECONDS } from '../../platform/time-units.ts'
import type { Payer } from '../billing/index.ts'
import type { EntrySet, Identities } from '../lists/index.ts'
import type { Phone, PhoneFindings } from '../phone/index.ts'
import type { ReputationStore } from '../reputation/index.ts'
import type { ListMatch } from '../risk/index.ts'
import { fingerprintOf } from './device.ts'
import { hasReports, reportsOf } from './device-reports.ts'
import { parseAddress } from './email/address.ts'
import { assessEmail, type EmailAssessment } from './email/assess.ts'
import type { MailRoute, Registration } from './email/facts.ts'
import {
  type DomainGrade,
  type DomainLists,
  gradeDomain,
  NOT_LISTED,
  withMailHosts,
} from './email/lists.ts'
import { type CountedIdentity, identitiesOf } from './identities.ts'
import { assessIp } from './ip/assess-ip.ts'
import type { IpData } from './ip/ip-data.ts'
import { describeIp, type IpFacts } from './ip/ip-facts.ts'
import type { Findings } from './result.ts'
import type { AddressFacts } from './rule-facts.ts'
import type { CheckRequest } from './schema.ts'
import type { OpenedDevice } from './signed-report/open.ts'

export type FindingsDependencies = {
  clock: Clock
  hash: KeyedHash
  cache: LookupCache
  phone: Phone
  reputation: Pick<ReputationStore, 'key' | 'standing'>
  domain_lists: DomainLists
  ip_data: IpData
  lookupMail: (domain: string, signal: AbortSignal) => Promise<Lookup<MailRoute>>
  /** Undefined when the look-up of domain ages is turned off. */
  lookupRegistration:
    | ((domain: string, signal: AbortSignal) => Promise<Lookup<Registration>>)
    | undefined
}

export type CheckContext = Payer & {
  /** Address of the end user, from a trusted proxy; undefined without one. */
  client_ip: string | undefined
}

/** Finds the entries of the lists that a check matches. */
export function listMatches(
  entries: EntrySet,
  { client_ip }: CheckContext,
  { email, phone, device, metadata }: CheckRequest,
  at: Date,
): readonly ListMatch[] {
  if (entries.size === 0) return []
  const identities: Identities = {}
  if (email !== undefined) identities.email = email
  if (phone !== undefined) identities.phone = phone
  if (client_ip !== undefined) identities.ip = client_ip
  const fingerprint = fingerprintOf(device)
  if (fingerprint !== undefined) identities.device = fingerprint
  const card = metadata?.['card_hash']
  if (typeof card === 'string') identities.card = card
  return entries.match(identities, at)
}

export type Gathered = { findings: Findings; identities: CountedIdentity[] }

const MAIL_ROUTE: LookupSource<MailRoute> = {
  kind: 'mail_route',
  // A domain that accepts no mail may be about to be set up, so its answer expires soon.
  ttl_seconds: ({ status }) =>
    status === 'mx' || status === 'implicit_mx' ? DAY_SECONDS / 4 : 15 * MINUTE_SECONDS,
}
const REGISTRATION: LookupSource<Registration> = {
  kind: 'registration',
  ttl_seconds: ({ registered_at }) => (registered_at === null ? DAY_SECONDS / 24 : 7 * DAY_SECONDS),
  // The registration date does not change while the domain exists.
  outlives_expiry: ({ registered_at }) => registered_at !== null,
}

const NO_EMAIL: EmailAssessment = {
  signals: { domain_age_score: 0, mx_score: 0, disposable_score: 0 },
  hard_floor: 0,
  evidence: [],
  identity: null,
}

export async function gather(
  deps: FindingsDependencies,
  context: CheckContext,
  { request, report, evidence }: OpenedDevice,
  deadline: LookupDeadline,
): Promise<Gathered> {
  const { phone } = request
  const { org_id, mode, client_ip } = context
  const [email, telephone, isBorneOut] = await Promise.all([
    request.email === undefined ? NO_EMAIL : examineEmail(deps, request.email, deadline),
    phone === undefined
      ? undefined
      : deps.phone.examine({ org_id, mode, phone, event_type: request.event_type }, deadline),
    areReportsBorneOut(deps, context, request.device),
  ])
  const fingerprint_confidence = report?.device.confidence ?? 1
  const address = client_ip === undefined ? null : describeIp(deps.ip_data, client_ip)
  const ip = assessIp({
    facts: address,
    phone_country_code: telephone?.signals.country_code ?? null,
  })
  return {
    findings: {
      email_signals: email.signals,
      phone_signals: telephone?.signals,
      evidence: [
        ...email.evidence,
        ...evidenceOf(telephone),
        ...reportsOf(request.device, isBorneOut ? fingerprint_confidence : 0),
        ...evidence,
        ...ip,
      ],
      hard_floor: email.hard_floor,
      fingerprint_confidence,
      ...(address && { ip: addressFacts(address) }),
    },
    identities: identitiesOf(deps.hash, mode, {
      email: email.identity,
      phone,
      fingerprint: fingerprintOf(request.device),
      client_ip,
      report_id: report?.id,
    }),
  }
}

const addressFacts = ({ country_code, network_class, service }: IpFacts): AddressFacts => ({
  ...(country_code !== null && { country: country_code }),
  ...(network_class === 'hosting' && { is_hosting: true }),
  ...(service !== null && { service }),
})

const evidenceOf = (findings: PhoneFindings | undefined) => findings?.evidence ?? []

/** Whether several organizations agree about a device that reports something; other devices are not read. */
async function areReportsBorneOut(
  { reputation, clock }: FindingsDependencies,
  { org_id, mode }: CheckContext,
  device: CheckRequest['device'],
): Promise<boolean> {
  const fingerprint = fingerprintOf(device)
  if (fingerprint === undefined || !hasReports(device)) return false
  const key_hash = reputation.key({ org_id, mode, kind: 'device', value: fingerprint })
  const { shared } = await reputation.standing({ org_id, mode, key_hash }, clock.now())
  return shared > 0
}

async function examineEmail(
  deps: FindingsDependencies,
  text: string,
  deadline: LookupDeadline,
): Promise<EmailAssessment> {
  const address = parseAddress(text)
  const withoutLookups = (grade: DomainGrade) => {
    const skipped = unknown('not_applicable')
    const facts = { address, grade, mail_route: skipped, registration: skipped }
    return assessEmail(facts, deps.clock.now())
  }
  if (!address.is_valid) return withoutLookups(NOT_LISTED)
  const { domain, registrable_domain } = address.address
  const own = gradeDomain(deps.domain_lists, domain)
  // The big mailbox providers are known to exist and to accept mail.
  if (own.class === 'free_mail') return withoutLookups(own)
  const { cache, lookupMail, lookupRegistration } = deps
  const stored = await cache.read([
    { kind: MAIL_ROUTE.kind, key: domain },
    { kind: REGISTRATION.kind, key: registrable_domain },
  ])
  const resolve = <T>(source: LookupSource<T>, key: string, fetch: Fetch<T>) =>
    cache.resolve(source, { key, fetch, stored, deadline })
  const [mail_route, registration] = await Promise.all([
    resolve(MAIL_ROUTE, domain, (signal) => lookupMail(domain, signal)),
    lookupRegistration
      ? resolve(REGISTRATION, registrable_domain, (signal) =>
          lookupRegistration(registrable_domain, signal),
        )
      : unknown('not_configured'),
  ])
  const hosts = mail_route.known ? mail_route.value.hosts : []
  const grade = withMailHosts(deps.domain_lists, own, hosts)
  return assessEmail({ address, grade, mail_route, registration }, deps.clock.now())
}
