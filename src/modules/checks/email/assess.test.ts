import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../../test/support/any-character.ts'
import { known, type Lookup, unknown } from '../../../platform/lookup.ts'
import { parseAddress } from './address.ts'
import { assessEmail } from './assess.ts'
import type { MailRoute, Registration } from './facts.ts'
import { type DomainClass, type DomainGrade, NOT_LISTED } from './lists.ts'

const NOW = new Date('2026-06-15T12:00:00Z')
const UNAVAILABLE = unknown('timeout')

type Given = {
  email?: string
  grade?: DomainGrade
  route?: Lookup<MailRoute>
  registration?: Lookup<Registration>
}

function assess({ email = 'jane.doe@shop.example', grade, route, registration }: Given) {
  const address = parseAddress(email)
  const facts = { address, grade: grade ?? NOT_LISTED }
  return assessEmail(
    { ...facts, mail_route: route ?? UNAVAILABLE, registration: registration ?? UNAVAILABLE },
    NOW,
  )
}

const listed = (found: DomainClass, via: DomainGrade['via'] = 'domain'): DomainGrade => ({
  class: found,
  matched_domain: 'shop.example',
  via,
  lists: ['some_list'],
})

const routeOf = (status: MailRoute['status'], points_inward = false) =>
  known<MailRoute>({ status, hosts: [], points_inward })

const registeredAgo = (days: number) =>
  known<Registration>({
    status: 'registered',
    registered_at: new Date(NOW.getTime() - days * 86_400_000).toISOString(),
  })

const findingsOf = (result: ReturnType<typeof assess>) =>
  result.evidence.map(({ finding }) => finding)

describe('an unknown fact', () => {
  test('never raises a score, and is part of the evidence', () => {
    const result = assess({})
    expect(result.signals).toEqual({ domain_age_score: 0, mx_score: 0, disposable_score: 0 })
    expect(result.hard_floor).toBe(0)
    expect(findingsOf(result)).toEqual(['registration_unknown', 'mail_route_unknown'])
  })

  test.each([null, 'soon', ''])(
    'such as a registration date of %j adds no risk',
    (registered_at) => {
      const registration = known<Registration>({ status: 'registered', registered_at })
      expect(assess({ registration }).signals.domain_age_score).toBe(0)
    },
  )
})

describe('domain age', () => {
  test.each([
    [-1, 95],
    [0.5, 95],
    [1, 85],
    [8, 70],
    [45, 45],
    [200, 20],
    [700, 5],
    [1200, 0],
  ])('of %d days scores %d', (days, score) => {
    expect(assess({ registration: registeredAgo(days) }).signals.domain_age_score).toBe(score)
  })

  test('of a domain without a record counts only when the domain does not resolve', () => {
    const registration = known<Registration>({ status: 'not_registered', registered_at: null })
    expect(assess({ registration }).signals.domain_age_score).toBe(0)
    const missing = assess({ registration, route: routeOf('nxdomain') })
    expect(missing.signals.domain_age_score).toBe(85)
    const resolving = assess({ registration, route: routeOf('mx') })
    expect(resolving.signals.domain_age_score).toBe(0)
    expect(findingsOf(resolving)).toContain('registry_without_record')
  })
})

describe('mail route', () => {
  test.each([
    ['mx', false, 0, 0],
    ['implicit_mx', false, 20, 0],
    ['mx', true, 90, 0],
    ['no_mail', false, 85, 0],
    ['null_mx', false, 100, 95],
    ['nxdomain', false, 100, 95],
  ] as const)('%s, pointing inward %s: score %d, floor %d', (status, inward, score, floor) => {
    const result = assess({ route: routeOf(status, inward) })
    expect([result.signals.mx_score, result.hard_floor]).toEqual([score, floor])
  })

  test('of a lookalike counts by how certain the imitation is', () => {
    const emails = [
      'a@gmаil.com',
      'a@bаnk-login.com',
      'a@gmai1.com',
      'a@gmial.com',
      'a@shop.example',
    ]
    const scores = emails.map((email) => assess({ email }).signals.mx_score)
    expect(scores).toEqual([85, 60, 55, 68, 0])
  })

  test('of a known provider that resembles another is not a lookalike', () => {
    expect(assess({ email: 'a@gmaill.com', grade: listed('free_mail') }).signals.mx_score).toBe(0)
  })
})

describe('disposable', () => {
  /** The check weighs this signal by .90, so a strength of 56 reaches a final score of 50. */
  const ALONE_ENOUGH = 56

  test.each([
    [listed('curated'), 100],
    [listed('two_lists'), 90],
    [listed('curated', 'mail_host'), 85],
    [listed('two_lists', 'mail_host'), 70],
    [listed('one_list'), 60],
    [listed('relay'), 15],
    [listed('free_mail'), 0],
    [NOT_LISTED, 0],
  ])('%j scores %d', (grade, score) => {
    expect(assess({ grade }).signals.disposable_score).toBe(score)
  })

  test('by a single list just exceeds a score of 50, and more with any support', () => {
    const grade = listed('one_list')
    const alone = assess({ grade }).signals.disposable_score
    expect(alone).toBeGreaterThanOrEqual(ALONE_ENOUGH)
    const supported = [
      assess({ grade, route: routeOf('no_mail') }),
      assess({ grade, route: routeOf('mx', true) }),
      assess({ grade, registration: registeredAgo(20) }),
      assess({ grade, email: 'jane@tempmail.example' }),
    ]
    for (const { signals } of supported) {
      expect(signals.disposable_score).toBeGreaterThan(alone)
    }
  })

  test('by a single list gets no support from an old domain that accepts mail', () => {
    const facts = {
      grade: listed('one_list'),
      route: routeOf('mx'),
      registration: registeredAgo(1200),
    }
    expect(assess(facts).signals.disposable_score).toBe(60)
  })

  test('findings about the local part are weak', () => {
    const result = assess({ email: 'x7k2m9q4w1z8@shop.example' })
    expect(result.signals.disposable_score).toBeGreaterThan(0)
    expect(result.signals.disposable_score).toBeLessThan(15)
  })

  test('a role account is reported and not scored', () => {
    const result = assess({ email: 'info@shop.example' })
    expect(result.signals.disposable_score).toBe(0)
    expect(findingsOf(result)).toContain('local_part_role_account')
  })
})

describe('identity', () => {
  test('has the keys under which the mailbox is counted', () => {
    const grade = listed('free_mail')
    expect(assess({ email: 'J.Doe007+x@googlemail.com', grade }).identity).toEqual({
      canonical: 'jdoe007@gmail.com',
      domain: 'googlemail.com',
      registrable_domain: 'googlemail.com',
      is_free_mail: true,
      is_relay: false,
      pattern_key: 'jdoe###@gmail.com',
    })
  })

  test('of an invalid address is null, and its floor applies', () => {
    const result = assess({ email: 'not an address' })
    expect(result.identity).toBeNull()
    expect(result.hard_floor).toBe(95)
    expect(findingsOf(result)).toEqual(['invalid_address'])
  })
})

test('every score is an integer from 0 to 100, for any facts', () => {
  const classes: DomainClass[] = ['free_mail', 'relay', 'curated', 'two_lists', 'one_list', 'none']
  const given = fc.record({
    email: fc.oneof(fc.string({ unit: anyCharacter }), fc.emailAddress()),
    grade: fc
      .tuple(fc.constantFrom(...classes), fc.constantFrom('domain' as const, 'mail_host' as const))
      .map(([found, via]) => listed(found, via)),
    route: fc.oneof(
      fc.constant(UNAVAILABLE),
      fc
        .tuple(
          fc.constantFrom('mx', 'implicit_mx', 'null_mx', 'no_mail', 'nxdomain' as const),
          fc.boolean(),
        )
        .map(([status, inward]) => routeOf(status, inward)),
    ),
    registration: fc.oneof(
      fc.constant(UNAVAILABLE),
      fc.double({ min: -1e5, max: 1e5, noNaN: true }).map(registeredAgo),
      fc
        .string()
        .map((registered_at) => known<Registration>({ status: 'registered', registered_at })),
    ),
  })
  fc.assert(
    fc.property(given, (facts) => {
      const { signals, evidence, hard_floor } = assess(facts)
      for (const score of [
        ...Object.values(signals),
        hard_floor,
        ...evidence.map((e) => e.score),
      ]) {
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true)
      }
    }),
  )
})
