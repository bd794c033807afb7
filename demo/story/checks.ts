/** Checks at sign-up and check-out: good mail and bad, some telephones, and developers trying things out. */
import type { Random } from '../../src/platform/random.ts'
import type { Customer } from './customers.ts'
import type { Span, StoryEvent } from './event.ts'
import { DISPOSABLE_DOMAINS, MAIL_DOMAINS, SILENT_DOMAIN, YOUNG_DOMAIN } from './names.ts'
import { joinedAt } from './online.ts'

const CHECKOUTS = 220
const DOUBTFUL = 70
const TESTS = 60
const MINUTE_MS = 60_000
const PHONE_SHARE = 0.35

/** Values of the sandbox, as its documentation lists them. */
const SANDBOX = [
  { email: 'clean@example.com' },
  { email: 'disposable@example.com' },
  { email: 'velocity@example.com' },
  { email: 'new-domain@example.com' },
  { phone: '+12025550100' },
  { phone: '+12025550103' },
] as const

export type CheckOptions = { customers: readonly Customer[]; span: Span; scale: number }

export function runChecks(random: Random, options: CheckOptions): StoryEvent[] {
  const { customers, span, scale } = options
  const times = (count: number) => Math.max(6, Math.round(count * scale))
  const anyTime = () => Math.round(random.between(span.start, span.end - MINUTE_MS))
  const joined = customers.filter(({ joins_at }) => joins_at !== undefined)
  return [
    ...joined.map((customer) => signUpCheck(random, customer, joinedAt(customer, span) - 40_000)),
    ...Array.from({ length: times(CHECKOUTS) }, (_, index) =>
      checkOut(random.pick(customers), anyTime(), index),
    ),
    ...Array.from({ length: times(DOUBTFUL) }, (_, index) => doubtful(random, anyTime(), index)),
    ...Array.from({ length: times(TESTS) }, (_, index) => {
      const value = SANDBOX[index % SANDBOX.length] ?? SANDBOX[0]
      return checkAt(anyTime(), { ...value, event_type: 'signup' }, { mode: 'test' })
    }),
  ]
}

function signUpCheck(random: Random, customer: Customer, at: number): StoryEvent {
  const { id, email, phone, ip, devices } = customer
  const check = {
    email,
    ...(phone !== undefined && random.chance(PHONE_SHARE) && { phone }),
    device: { fingerprint_hash: devices[0], platform: random.pick(['ios', 'android', 'web']) },
    event_type: 'signup',
    event_id: `signup-${id}`,
    metadata: { shop: customer.shop.id },
  }
  return checkAt(at, check, { ip })
}

function checkOut({ email, ip, devices }: Customer, at: number, index: number): StoryEvent {
  const device = { fingerprint_hash: devices[0] }
  return checkAt(
    at,
    { email, device, event_type: 'checkout', event_id: `checkout-${index}` },
    { ip },
  )
}

/** Mail that is thrown away, was registered last week, or goes nowhere. */
function doubtful(random: Random, at: number, index: number): StoryEvent {
  const domain = random.weighted([...DISPOSABLE_DOMAINS, YOUNG_DOMAIN, SILENT_DOMAIN], (each) =>
    each === SILENT_DOMAIN ? 0.6 : 1,
  )
  const email = `${random.pick(['deal', 'win', 'promo', 'user', 'temp'])}${random.integer(100, 9999)}@${domain}`
  const event_type = random.pick(['signup', 'signup', 'newsletter', 'voucher'])
  return checkAt(
    at,
    { email, event_type, event_id: `form-${index}` },
    { ip: `198.51.100.${random.integer(60, 250)}` },
  )
}

/** Somebody at a form, now; every other mail is thrown away afterwards. */
export function disposableCheck(random: Random, at: number): StoryEvent {
  const number = random.integer(100, 999_999)
  return random.chance(0.5)
    ? doubtful(random, at, number + at)
    : checkAt(
        at,
        { email: `visitor.${number}@${random.pick(MAIL_DOMAINS)}`, event_type: 'newsletter' },
        {},
      )
}

function checkAt(
  at: number,
  check: Extract<StoryEvent, { kind: 'check' }>['check'],
  { ip, mode = 'live' }: { ip?: string; mode?: 'live' | 'test' },
): StoryEvent {
  return { at: Math.round(at), truth: 'honest', kind: 'check', check, mode, client_ip: ip }
}
