/**
 * Profiles of customers, checks at sign-up and check-out of good and bad mail addresses, and tests by
 * developers.
 */
import type { Random } from '../../src/platform/random.ts'
import { devicesAt } from '../../world/customers.ts'
import { homeLine } from '../../world/online.ts'
import { MINUTE_MS, type Span } from '../../world/time.ts'
import type { Shopper } from './chain.ts'
import type { StoryEvent } from './event.ts'
import { DISPOSABLE_DOMAINS, MAIL_DOMAINS, SILENT_DOMAIN, YOUNG_DOMAIN } from './names.ts'
import { addressHash, deviceHash } from './requests.ts'

const CHECKOUTS = 220
const DOUBTFUL = 70
const TESTS = 60
/** The least number of each kind, however small the story. */
const LEAST = 6
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

export type FormOptions = { customers: readonly Shopper[]; span: Span; scale: number }

/** Profiles of earlier customers arrive in the first hour, the others when the customers sign up. */
export const createProfiles = (random: Random, { customers, span }: FormOptions): StoryEvent[] =>
  customers.map((customer) => {
    const { id, position, city, joined } = customer
    const at = hasJoined(customer, span)
      ? Math.max(span.start, joined)
      : span.start + random.integer(0, 50 * MINUTE_MS)
    const device = deviceOf(customer, at)
    return {
      at,
      truth: 'honest',
      kind: 'profile',
      profile: {
        external_id: id,
        profile_type: 'customer',
        ...(device !== undefined && { fingerprint_hash: device }),
        ip_hash: addressHash(homeLine(customer, at)),
        country_code: city.country,
        ...position,
      },
    }
  })

const hasJoined = ({ joined }: Shopper, { start }: Span): boolean => joined > start

function deviceOf(customer: Shopper, at: number): string | undefined {
  const [device] = devicesAt(customer, at)
  return device && deviceHash(device.name)
}

export function runChecks(random: Random, options: FormOptions): StoryEvent[] {
  const { customers, span, scale } = options
  const many = (count: number, create: (at: number, index: number) => StoryEvent) =>
    Array.from({ length: Math.max(LEAST, Math.round(count * scale)) }, (_, index) =>
      create(Math.round(random.between(span.start, span.end - MINUTE_MS)), index),
    )
  return [
    ...customers
      .filter((customer) => hasJoined(customer, span))
      .map((customer) => signUpCheck(random, customer)),
    ...many(CHECKOUTS, (at, index) => checkOut(random.pick(customers), at, index)),
    ...many(DOUBTFUL, (at, index) => doubtful(random, at, index)),
    ...many(TESTS, (at, index) => {
      const value = SANDBOX[index % SANDBOX.length] ?? SANDBOX[0]
      return checkAt(at, { ...value, event_type: 'signup' }, { mode: 'test' })
    }),
  ]
}

function signUpCheck(random: Random, customer: Shopper): StoryEvent {
  const { id, email, phone, ip, joined, city } = customer
  const device = deviceOf(customer, joined)
  const check = {
    email,
    ...(phone !== undefined && random.chance(PHONE_SHARE) && { phone }),
    device: { fingerprint_hash: device, platform: random.pick(['ios', 'android', 'web']) },
    event_type: 'signup',
    event_id: `signup-${id}`,
    metadata: { shop: city.name.toLowerCase() },
  }
  return checkAt(joined - 40_000, check, { ip })
}

function checkOut(customer: Shopper, at: number, index: number): StoryEvent {
  const { email, ip } = customer
  const device = { fingerprint_hash: deviceOf(customer, at) }
  const check = { email, device, event_type: 'checkout', event_id: `checkout-${index}` }
  return checkAt(at, check, { ip })
}

/** A disposable address, a domain that was registered last week, or one that accepts no mail. */
function doubtful(random: Random, at: number, index: number): StoryEvent {
  const domain = random.weighted([...DISPOSABLE_DOMAINS, YOUNG_DOMAIN, SILENT_DOMAIN], (each) =>
    each === SILENT_DOMAIN ? 0.6 : 1,
  )
  const name = random.pick(['deal', 'win', 'promo', 'user', 'temp'])
  const check = {
    email: `${name}${random.integer(100, 9999)}@${domain}`,
    event_type: random.pick(['signup', 'signup', 'newsletter', 'voucher']),
    event_id: `form-${index}`,
  }
  return checkAt(at, check, { ip: `198.51.100.${random.integer(60, 250)}` })
}

/** A visitor at a form; every other mail address is doubtful. */
export function visitorCheck(random: Random, at: number): StoryEvent {
  const number = random.integer(100, 999_999)
  if (random.chance(0.5)) return doubtful(random, at, number + at)
  const email = `visitor.${number}@${random.pick(MAIL_DOMAINS)}`
  return checkAt(at, { email, event_type: 'newsletter' }, {})
}

function checkAt(
  at: number,
  check: Extract<StoryEvent, { kind: 'check' }>['check'],
  { ip, mode = 'live' }: { ip?: string; mode?: 'live' | 'test' },
): StoryEvent {
  return { at: Math.round(at), truth: 'honest', kind: 'check', check, mode, client_ip: ip }
}
