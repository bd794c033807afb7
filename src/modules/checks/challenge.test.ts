import { describe, expect, it } from 'vitest'
import { known, unknown } from '../../platform/lookup.ts'
import { describeNumber } from '../phone/number.ts'
import { assessPhone, phoneSignalsOf } from '../phone/risk.ts'
import { parseAddress } from './email/address.ts'
import { assessEmail } from './email/assess.ts'
import { type DomainClass, NOT_LISTED } from './email/lists.ts'
import { conclude, type Findings } from './result.ts'

const NOW = new Date('2026-06-15T12:00:00Z')
const HEAD = { check_id: 'c', email: undefined, credits_used: 1, is_sandbox: false }
const NO_EMAIL = { domain_age_score: 0, mx_score: 0, disposable_score: 0 }

const levelOf = (findings: Findings) => conclude(HEAD, findings, [], 0).result.risk_level

function checkEmail(email: string, listed: DomainClass | undefined) {
  const grade =
    listed === undefined
      ? NOT_LISTED
      : { class: listed, matched_domain: email.slice(2), via: 'domain' as const, lists: ['one'] }
  const { signals, evidence, hard_floor } = assessEmail(
    {
      address: parseAddress(email),
      grade,
      mail_route: known({ status: 'mx', hosts: [], points_inward: false }),
      registration: unknown('timeout'),
    },
    NOW,
  )
  const findings = { email_signals: signals, phone_signals: undefined, evidence, hard_floor }
  return { level: levelOf(findings), details: evidence.map(({ detail }) => detail).join(' ') }
}

describe('a typing error of a well-known mail domain', () => {
  const domains = ['gmial.com', 'hotmial.com', 'gmal.com', 'outlok.com', 'yaho.com']

  it.each(domains)('is a challenge with a suggestion, listed or not: %s', (domain) => {
    for (const listed of [undefined, 'one_list', 'two_lists', 'curated'] as const) {
      const { level, details } = checkEmail(`a@${domain}`, listed)
      expect(level).toBe('high')
      expect(details).toMatch(/Did you mean [a-z]+\.com\?/)
    }
  })
})

it('a phone number in a range that is not assigned is a challenge', () => {
  const number = describeNumber('+447700900123')
  const lookups = { sim_swap: unknown('timeout'), porting: unknown('not_configured') } as const
  const signals = phoneSignalsOf({ number, allocated_carrier: null, ...lookups })
  const evidence = assessPhone(signals, number, { score: 0, own: 0, others: 0 }, undefined, NOW)
  const findings = { email_signals: NO_EMAIL, phone_signals: signals, evidence, hard_floor: 0 }
  expect(levelOf(findings)).toBe('high')
})
