/**
 * Sandbox values: reserved names and numbers (RFC 2606, 555-01XX) that have a fixed outcome with a
 * test key and are ordinary input with a live key (OP-3).
 */
import type { PhoneSignals } from '../../phone/index.ts'
import type { Evidence } from '../../risk/index.ts'

/** Error that is returned instead of a result. */
export type SandboxFailure = 'server_error' | 'rate_limited'

export type SandboxEmail = {
  email: string
  description: string
  /** Default: none. */
  evidence?: Evidence[]
  /** Default: 0. */
  hard_floor?: number
  failure?: SandboxFailure
}

export type SandboxPhone = {
  phone: string
  description: string
  signals: PhoneSignals
  /** Days before the present. */
  sim_swap_days_ago?: number
  ported_days_ago?: number
  /** Default: 0. */
  reputation_score?: number
}

const finding = (
  signal: Evidence['signal'],
  score: number,
  name: string,
  detail: string,
): Evidence => ({ signal, score, finding: name, detail })

const UNDELIVERABLE_FLOOR = 95

export const SANDBOX_EMAILS: readonly SandboxEmail[] = [
  { email: 'clean@example.com', description: 'Nothing speaks against it' },
  {
    email: 'unknown@example.com',
    description: 'Look-ups do not answer in time: unknown adds no risk',
  },
  {
    email: 'relay@example.com',
    description: 'Address of a forwarding service',
    evidence: [finding('disposable', 15, 'relay', 'the domain forwards to another mailbox')],
  },
  {
    email: 'new-domain@example.com',
    description: 'Domain registered three days ago',
    evidence: [finding('domain_age', 85, 'registered_recently', 'the domain is 3 days old')],
  },
  {
    email: 'velocity@example.com',
    description: 'Seen ten times within five minutes',
    evidence: [finding('velocity', 75, 'email_velocity', 'seen 10 times within 5 minutes')],
  },
  {
    email: 'disposable@example.com',
    description: 'Throw-away mailbox',
    evidence: [
      finding('disposable', 100, 'disposable_curated', 'the domain is on the curated list'),
    ],
  },
  {
    email: 'no-mail@example.com',
    description: 'Domain that accepts no mail (null MX)',
    evidence: [finding('mx', 100, 'null_mx', 'the domain says that it takes no mail')],
    hard_floor: UNDELIVERABLE_FLOOR,
  },
  {
    email: 'no-domain@example.invalid',
    description: 'Domain that does not exist',
    evidence: [finding('mx', 100, 'nxdomain', 'there is no such domain')],
    hard_floor: UNDELIVERABLE_FLOOR,
  },
  {
    email: 'rate-limited@example.com',
    description: 'Answers 429 with retry_after',
    failure: 'rate_limited',
  },
  {
    email: 'server-error@example.com',
    description: 'Answers 500 and emits email.check.failed',
    failure: 'server_error',
  },
]

const MOBILE: PhoneSignals = {
  is_valid: true,
  carrier: 'Sandbox Mobile',
  line_type: 'mobile',
  country_code: 'US',
  recent_sim_swap: false,
  sim_swap_date: null,
  ported: false,
  ported_date: null,
}
const INVALID: PhoneSignals = {
  ...MOBILE,
  is_valid: false,
  carrier: null,
  line_type: null,
  country_code: null,
}

export const SANDBOX_PHONES: readonly SandboxPhone[] = [
  {
    phone: '+12025550100',
    description: 'Mobile number, nothing speaks against it',
    signals: MOBILE,
  },
  {
    phone: '+12025550101',
    description: 'Landline',
    signals: { ...MOBILE, carrier: 'Sandbox Fixed', line_type: 'landline' },
  },
  {
    phone: '+12025550102',
    description: 'VoIP number',
    signals: { ...MOBILE, carrier: 'Sandbox Voice', line_type: 'voip' },
  },
  { phone: '+12025550103', description: 'Number that is not assigned', signals: INVALID },
  {
    phone: '+12025550104',
    description: 'SIM swapped two days ago',
    signals: { ...MOBILE, recent_sim_swap: true },
    sim_swap_days_ago: 2,
  },
  {
    phone: '+12025550105',
    description: 'SIM swapped thirty days ago',
    signals: MOBILE,
    sim_swap_days_ago: 30,
  },
  {
    phone: '+12025550106',
    description: 'Ported to another carrier three days ago',
    signals: { ...MOBILE, ported: true },
    ported_days_ago: 3,
  },
  {
    phone: '+12025550107',
    description: 'Reported for fraud by your own organization',
    signals: MOBILE,
    reputation_score: 90,
  },
  {
    phone: '+12025550108',
    description: 'Reported by two other organizations',
    signals: MOBILE,
    reputation_score: 60,
  },
  {
    phone: '+12025550109',
    description: 'Carrier does not answer: unknown stays unknown',
    signals: { ...MOBILE, carrier: null, line_type: null },
  },
]

/** Effect of each event type; any other is stored with the check and changes nothing. */
export const EVENT_TYPES: Readonly<Record<string, string>> = {
  signup: 'Context only',
  login: 'A recent SIM swap weighs more (90 instead of 80)',
  checkout: 'Context only',
  payment: 'A recent SIM swap weighs more (90 instead of 80)',
  kyc: 'Context only',
  withdrawal: 'A recent SIM swap weighs more (90 instead of 80)',
  transfer: 'A recent SIM swap weighs more (90 instead of 80)',
}
