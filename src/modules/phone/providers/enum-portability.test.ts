import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DnsEmulator, type DnsScenario, startDns } from '../../../../emulators/dns.ts'
import { known, unknown } from '../../../platform/lookup.ts'
import { createEnumPortability, enumName, portingOf } from './enum-portability.ts'

const naptr = (regexp: string, overrides: Record<string, unknown> = {}) => ({
  order: 10,
  preference: 10,
  flags: 'u',
  service: 'E2U+pstn:tel',
  regexp,
  replacement: '.',
  ...overrides,
})

const PORTED = '!^.*$!tel:+12025550100;npdi;rn=+1-202-555-0000;cic=+1-6789!'

const numbers: Record<string, ReturnType<typeof naptr>[]> = {
  '+12025550100': [naptr(PORTED)],
  '+12025550101': [naptr('!^(.*)$!tel:\\1;npdi!')],
  '+12025550102': [
    naptr('!^.*$!tel:+12025550102;npdi!', { order: 20 }),
    naptr(PORTED, { order: 10, preference: 20 }),
    naptr('!^.*$!sip:someone@example.com!', { order: 5, service: 'E2U+sip' }),
  ],
  '+12025550103': [naptr('!^.*$!sip:someone@example.com!', { service: 'E2U+sip' })],
  '+12025550104': [naptr('!^.*$!tel:+12025550104!')],
  '+12025550105': [naptr('!^(.*)*$!tel:+12025550105;npdi!')],
  '+12025550106': [naptr('!^(.*)*$!tel:;npdi!'), naptr(PORTED, { preference: 20 })],
}

let dns: DnsEmulator

beforeAll(async () => {
  const names: DnsScenario['names'] = {}
  for (const [phone, NAPTR] of Object.entries(numbers)) {
    names[enumName(phone, 'private.example')] = { NAPTR }
  }
  dns = await startDns({ port: 0, scenario: { names } })
})

afterAll(() => dns.close())

const lookup = (phone: string) =>
  createEnumPortability({
    suffix: 'private.example',
    servers: [dns.address],
    timeoutMs: 2_000,
  })(phone)

describe('enumName', () => {
  test('is the reversed digits under the suffix', () => {
    expect(enumName('+442079460148', 'e164.arpa')).toBe('8.4.1.0.6.4.9.7.0.2.4.4.e164.arpa')
    expect(enumName('+4420', '.enum.example.')).toBe('0.2.4.4.enum.example')
  })
})

describe('createEnumPortability', () => {
  test('a routing number means ported, and the carrier code has no dashes', async () => {
    expect(await lookup('+12025550100')).toEqual(
      known({ ported: true, ported_date: null, carrier_code: '+16789' }),
    )
  })

  test('a queried number without a routing number is not ported', async () => {
    expect(await lookup('+12025550101')).toEqual(
      known({ ported: false, ported_date: null, carrier_code: null }),
    )
  })

  test('the record with the lowest order is used, whatever other services exist', async () => {
    expect(await lookup('+12025550102')).toMatchObject({ known: true, value: { ported: true } })
  })

  test('an unusable record is skipped', async () => {
    expect(await lookup('+12025550106')).toMatchObject({ known: true, value: { ported: true } })
  })

  test.each([
    ['a number without records', '+12025550199', 'not_applicable'],
    ['a number with other services only', '+12025550103', 'not_applicable'],
    ['no E.164 number', '12025550100', 'not_applicable'],
    ['a URI that says nothing of porting', '+12025550104', 'bad_answer'],
    ['an expression that could run for ever', '+12025550105', 'bad_answer'],
  ] as const)('%s is unknown', async (_, phone, reason) => {
    expect(await lookup(phone)).toEqual(unknown(reason))
  })
})

describe('portingOf', () => {
  test.each([
    ['tel:+12025550100;npdi', false],
    ['tel:+1-202-555-0100;npdi;rn=+1-202-544-0000', true],
    ['TEL:+12025550100;RN=+12025440000', true],
    ['tel:2025550100;phone-context=+1;npdi', false],
  ])('%s', (uri, ported) => {
    expect(portingOf(uri)).toMatchObject({ ported })
  })

  test.each(['tel:+12025550100', 'tel:+12025550100;rn=', 'sip:+1@example.com;npdi', ''])(
    '%j has no facts about porting',
    (uri) => {
      expect(portingOf(uri)).toBeUndefined()
    },
  )
})
