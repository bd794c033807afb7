import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkSignature } from './receiver-signature.ts'

const secret = 'whsec_5f2b'
const body = Buffer.from('{"id":"evt_1"}')
const now = new Date(1_800_000_000_000)
const digest = (time: number | string, key = secret, text: Buffer | string = body) =>
  createHmac('sha256', key).update(`${time}.`).update(text).digest('hex')
const header = (time: number, key = secret, text: Buffer | string = body) =>
  `t=${time},v1=${digest(time, key, text)}`
const check = (text: string | undefined, secrets = [secret]) =>
  checkSignature({ header: text, body, secrets, tolerance_s: 300, now })

describe('checkSignature', () => {
  test('accepts the digest of time, dot and raw body', () => {
    expect(check(header(1_800_000_000))).toBe('valid')
  })

  test('accepts any of several secrets and any of several digests', () => {
    expect(check(header(1_800_000_000), ['whsec_old', secret])).toBe('valid')
    const two = `t=1800000000,v1=${'0'.repeat(64)},v1=${digest(1_800_000_000)},v0=zz`
    expect(check(two)).toBe('valid')
  })

  test.each([1_799_999_700, 1_800_000_300])('accepts %i, at the edge of the tolerance', (time) => {
    expect(check(header(time))).toBe('valid')
  })

  test.each([1_799_999_699, 1_800_000_301])('rejects %i as stale', (time) => {
    expect(check(header(time))).toBe('stale')
  })

  test.each([
    ['another secret', header(1_800_000_000, 'whsec_other')],
    ['another body', header(1_800_000_000, secret, '{"id":"evt_2"}')],
    ['another time', `t=1800000001,v1=${digest(1_800_000_000)}`],
  ])('refuses the digest of %s', (_what, text) => {
    expect(check(text)).toBe('invalid')
  })

  test.each([
    '',
    't=1800000000',
    `v1=${'0'.repeat(64)}`,
    `t=now,v1=${'0'.repeat(64)}`,
    't=1800000000,v1=00',
    `t=1800000000,v1=${'0'.repeat(62)}zz`,
  ])('%j is malformed', (text) => {
    expect(check(text)).toBe('malformed')
  })

  test('distinguishes a missing header from a missing secret', () => {
    expect(check(undefined)).toBe('missing')
    expect(check(header(1_800_000_000), [])).toBe('unchecked')
  })
})
