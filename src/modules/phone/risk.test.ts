import { describe, expect, it } from 'vitest'
import { known, unknown } from '../../platform/lookup.ts'
import { describeNumber } from './number.ts'
import { assessPhone, type PhoneFacts, phoneSignalsOf } from './risk.ts'

const NOW = new Date('2026-03-10T12:00:00Z')
const NOTHING_SAID = { score: 0, own: 0, others: 0 }

const FACTS: PhoneFacts = {
  number: {
    is_valid: true,
    is_unassigned: false,
    service: null,
    country_code: 'DE',
    calling_code: '49',
    national_number: '15112345678',
    line_type: 'mobile',
  },
  allocated_carrier: 'Telekom',
  sim_swap: unknown('timeout'),
  porting: unknown('not_configured'),
}

const findingsOf = (facts: Partial<PhoneFacts>, eventType?: string, reputation = NOTHING_SAID) =>
  assessPhone(
    phoneSignalsOf({ ...FACTS, ...facts }),
    facts.number ?? FACTS.number,
    reputation,
    eventType,
    NOW,
  ).map(({ finding, score }) => [finding, score])

describe('phone signals', () => {
  it('are null or false for facts without a provider', () => {
    expect(phoneSignalsOf(FACTS)).toEqual({
      is_valid: true,
      carrier: 'Telekom',
      line_type: 'mobile',
      country_code: 'DE',
      recent_sim_swap: false,
      sim_swap_date: null,
      ported: false,
      ported_date: null,
    })
    expect(findingsOf({})).toEqual([])
  })
})

describe('phone risk', () => {
  const swapped = known({ recent_sim_swap: true, sim_swap_date: '2026-03-08T00:00:00Z' })

  it('weighs a recent SIM swap more for events that involve money', () => {
    expect(findingsOf({ sim_swap: swapped }, 'signup')).toEqual([['recent_sim_swap', 80]])
    for (const event of ['login', 'payment', 'withdrawal', 'transfer']) {
      expect(findingsOf({ sim_swap: swapped }, event)).toEqual([['recent_sim_swap', 90]])
    }
  })

  it('counts porting within the last seven days, not older or undated porting', () => {
    const ported = (ported_date: string | null) =>
      findingsOf({ porting: known({ ported: true, ported_date, carrier_code: null }) })
    expect(ported('2026-03-06T00:00:00Z')).toEqual([['ported_recently', 40]])
    expect(ported('2026-01-06T00:00:00Z')).toEqual([])
    expect(ported(null)).toEqual([])
  })

  it('names an invalid number, a VoIP line and reports', () => {
    const number = { ...FACTS.number, is_valid: false, line_type: null }
    expect(findingsOf({ number })).toEqual([['invalid_number', 85]])
    expect(findingsOf({ number: { ...FACTS.number, line_type: 'voip' } })).toEqual([
      ['voip_number', 35],
    ])
    expect(findingsOf({}, undefined, { score: 60, own: 0, others: 2 })).toEqual([['reported', 60]])
  })
})

describe('a number that no person has', () => {
  it.each([
    ['+18005550199', 'toll_free_number', 40],
    ['+19005550199', 'premium_rate_number', 60],
  ])('%s is graded by its service', (phone, finding, score) => {
    const found = findingsOf({ number: describeNumber(phone) })
    expect(found).toEqual([[finding, score]])
  })

  it('is a challenge when only its range is not assigned', () => {
    expect(findingsOf({ number: describeNumber('+447700900123') })).toEqual([
      ['unassigned_number', 55],
    ])
    expect(findingsOf({ number: describeNumber('+49') })).toEqual([['invalid_number', 85]])
  })
})
