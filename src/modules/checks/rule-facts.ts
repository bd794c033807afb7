/** The facts of a check that custom rules read. Pure. */
import { listFacts, type RuleFacts, ruleFacts } from '../custom-rules/index.ts'
import type { PhoneSignals } from '../phone/index.ts'
import type { Evidence, EvidenceSignal, ListMatch } from '../risk/index.ts'
import { fingerprintOf } from './device.ts'
import type { CheckRequest } from './schema.ts'
import type { VelocityFact, VelocityKind } from './velocity/velocity.ts'

/** Decayed counts of about the last hour, day and week. */
type StoredCounts = readonly [hour: number, day: number, week: number]

/**
 * What rules read and nothing else stores. It is stored with every check, because counters and addresses are
 * not there anymore when a draft is replayed. Everything that is usual is absent.
 */
export type StoredFacts = {
  /** Without identities that were seen for the first time. */
  counts?: Readonly<Partial<Record<VelocityKind, StoredCounts>>>
  /** Kinds of identities that were seen for the first time. */
  first?: readonly VelocityKind[]
  /** Different people on the device, if they are several. */
  people?: number
  ip?: AddressFacts
  /** Entries of lists that the check matched. */
  lists?: readonly ListMatch[]
}

export type AddressFacts = { country?: string; is_hosting?: true; service?: string }

const FIRST_MAX = 1.005

export function storedFacts(
  velocity: readonly VelocityFact[],
  people: number,
  { ip, lists = [] }: Pick<StoredFacts, 'ip' | 'lists'>,
): StoredFacts {
  const facts: StoredFacts = {}
  const first = velocity.filter(({ counts }) => counts.count_7d <= FIRST_MAX)
  const again = velocity.filter(({ counts }) => counts.count_7d > FIRST_MAX)
  if (first.length > 0) facts.first = first.map(({ kind }) => kind)
  if (again.length > 0) facts.counts = Object.fromEntries(again.map(storedCounts))
  if (people > 1) facts.people = people
  if (ip !== undefined) facts.ip = ip
  if (lists.length > 0) facts.lists = lists
  return facts
}

const storedCounts = ({ kind, counts }: VelocityFact): [VelocityKind, StoredCounts] => [
  kind,
  [rounded(counts.count_1h), rounded(counts.count_1d), rounded(counts.count_7d)],
]

const rounded = (count: number): number => Math.round(count * 100) / 100

export type RuleSubject = {
  request: Omit<CheckRequest, 'email'>
  created_at: Date
  email: string | undefined
  phone: PhoneSignals | undefined
  stored: StoredFacts
  /** Before rules and lists. */
  evidence: readonly Evidence[]
  strengths: Readonly<Record<EvidenceSignal, number>>
  score: number
}

/** @param wanted groups of facts that the rules read */
export function checkRuleFacts(subject: RuleSubject, wanted: ReadonlySet<string>): RuleFacts {
  const { request, stored, phone } = subject
  const address = subject.email?.trim().toLowerCase() ?? ''
  const fingerprint = fingerprintOf(request.device)
  const sources = {
    check: () => ({
      event_type: request.event_type ?? '',
      has_email: subject.email !== undefined,
      has_phone: request.phone !== undefined,
      has_device: request.device !== undefined,
      hour: subject.created_at.getUTCHours(),
    }),
    sent: () => ({
      metadata: request.metadata ?? {},
      behavior: request.behavior ?? {},
      device: request.device ?? {},
    }),
    email: () => ({
      address,
      domain: address.slice(address.lastIndexOf('@') + 1),
      ...countsOf(stored, 'email'),
    }),
    domain: () => countsOf(stored, 'email_domain'),
    phone: () => ({
      number: request.phone ?? '',
      is_valid: phone?.is_valid ?? false,
      line_type: phone?.line_type ?? '',
      carrier: phone?.carrier ?? '',
      country: phone?.country_code ?? '',
      recent_sim_swap: phone?.recent_sim_swap ?? false,
      is_ported: phone?.ported ?? false,
      ...countsOf(stored, 'phone'),
    }),
    device: () => ({
      fingerprint: fingerprint ?? '',
      people: stored.people ?? (fingerprint === undefined ? 0 : 1),
      ...countsOf(stored, 'device'),
    }),
    ip: () => ({
      country: stored.ip?.country ?? '',
      is_hosting: stored.ip?.is_hosting === true,
      service: stored.ip?.service ?? '',
      ...countsOf(stored, 'ip'),
    }),
    signals: () => ({
      ...subject.strengths,
      score: subject.score,
      findings: subject.evidence.map(({ finding }) => finding),
    }),
    lists: () => listFacts(stored.lists ?? []),
  }
  return ruleFacts('check', sources, wanted)
}

function countsOf({ counts, first }: StoredFacts, kind: VelocityKind) {
  const once = first?.includes(kind) === true ? 1 : 0
  const [last_hour, last_day, last_week] = counts?.[kind] ?? [once, once, once]
  return { last_hour, last_day, last_week }
}
