import { describe, expect, it } from 'vitest'
import {
  newReportId,
  ORDINARY_DEVICE,
  signedReport,
} from '../../../../test/support/device-reports.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import { isReport, parseReport, verifyReport } from './verify.ts'

const KEY = 'pk_test_0123456789abcdefghijABCDEFGHIJ000000'
const NOW = new Date('2026-06-15T12:00:00Z')
const MINUTES = 30
const at = (minutes: number): number => NOW.getTime() + minutes * 60_000

function verdictOf(text: string, keys: readonly Buffer[] = [hashToken(KEY)]) {
  const claimed = parseReport(text)
  return claimed && verifyReport(claimed, keys, NOW, MINUTES)
}

describe('a report of the device SDK', () => {
  it('is valid with the signature of an active public key, and returns what it says', () => {
    const id = newReportId()
    const text = signedReport(KEY, { id, issued_at: NOW.getTime() })
    expect(verdictOf(text)).toEqual({
      state: 'valid',
      report: {
        id,
        issued_at: NOW,
        device: ORDINARY_DEVICE,
        behavior: { page_ms: 4000, insertions: 12 },
      },
    })
    expect(parseReport(text)?.key_hint).toBe('pk_test_…0000')
  })

  it('is found changed, whichever character of it was', () => {
    const text = signedReport(KEY, { issued_at: NOW.getTime() })
    const [version, payload = '', mac = ''] = text.split('.')
    const changed = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      device: { webdriver: boolean }
    }
    changed.device.webdriver = true
    const other = Buffer.from(JSON.stringify(changed)).toString('base64url')
    expect(verdictOf(`${version}.${other}.${mac}`)).toEqual({ state: 'changed' })
    const flipped = mac.startsWith('A') ? `B${mac.slice(1)}` : `A${mac.slice(1)}`
    expect(verdictOf(`${version}.${payload}.${flipped}`)).toEqual({ state: 'changed' })
    expect(verdictOf(text, [hashToken('pk_test_other')])).toEqual({ state: 'changed' })
  })

  it.each([
    [0, 'valid'],
    [-30, 'valid'],
    [-31, 'expired'],
    [5, 'valid'],
    [6, 'expired'],
  ])('issued %d minutes from now is %s', (minutes, state) => {
    expect(verdictOf(signedReport(KEY, { issued_at: at(minutes) }))?.state).toBe(state)
  })

  it('is not judged when its key is not known', () => {
    expect(verdictOf(signedReport(KEY), [])).toEqual({ state: 'unknown_key' })
  })

  it.each([
    ['cut off', signedReport(KEY).slice(0, -1)],
    ['too long', signedReport(KEY, { behavior: { text: 'x'.repeat(9000) } })],
    ['without an id', signedReport(KEY, { id: undefined })],
    ['with an id of another form', signedReport(KEY, { id: 'a' })],
    ['without a time', signedReport(KEY, { issued_at: 'today' })],
    ['with an impossible time', signedReport(KEY, { issued_at: 1e300 })],
    ['without a key', signedReport(KEY, { key: undefined })],
    ['with a secret key', signedReport(KEY, { key: 'sk_live_…0000' })],
    ['without JSON', `vdr1.AAAA.${'A'.repeat(43)}`],
  ])('%s is unreadable', (_what, text) => {
    expect(isReport(text)).toBe(true)
    expect(parseReport(text)).toBeUndefined()
  })

  it('of a later form, or of another SDK, is opaque', () => {
    for (const value of ['vdr2.a.b', 'abc', '', 5, null, undefined, { state: 'valid' }]) {
      expect(isReport(value)).toBe(false)
    }
  })

  it('keeps documented members of the documented form only', () => {
    const text = signedReport(KEY, {
      issued_at: NOW.getTime(),
      device: {
        platform: 'Win\u0000',
        renderer: 'x'.repeat(201),
        confidence: 2,
        webdriver: 'yes',
        touch_points: -1,
        alterations: ['canvas_replaced', 5, 'ü'],
        fingerprint_hash: '',
        plugins: ['a'],
      },
      behavior: { clicks: 2, fields: Number.MAX_VALUE, text: 'secret' },
    })
    expect(verdictOf(text)).toMatchObject({
      report: { device: { alterations: ['canvas_replaced'] }, behavior: { clicks: 2 } },
    })
    const claimed = parseReport(text)
    expect(Object.keys(claimed?.report.device ?? {})).toEqual(['alterations'])
    expect(Object.keys(claimed?.report.behavior ?? {})).toEqual(['clicks'])
    expect(parseReport(signedReport(KEY, { device: null, behavior: [] }))?.report).toMatchObject({
      device: {},
      behavior: {},
    })
  })
})
