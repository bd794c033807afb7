import { describe, expect, it } from 'vitest'
import { ORDINARY_DEVICE } from '../../../../test/support/device-reports.ts'
import { conclude } from '../result.ts'
import { assessReport, assessReportUse } from './assess.ts'
import type { DeviceFacts } from './facts.ts'

const HEAD = { check_id: 'c', email: undefined, credits_used: 1, is_sandbox: false }
const NO_EMAIL = { domain_age_score: 0, mx_score: 0, disposable_score: 0 }

/** Findings with their strengths. */
const found = (device: DeviceFacts, sent?: string) =>
  Object.fromEntries(
    assessReport('valid', device, sent).map(({ finding, score }) => [finding, score]),
  )
const phone = { is_mobile: true, platform: 'Linux armv8l', renderer: 'Adreno (TM) 740' }

describe('what a valid report says', () => {
  it('is no evidence about an ordinary browser', () => {
    expect(found(ORDINARY_DEVICE, ORDINARY_DEVICE.fingerprint_hash)).toEqual({})
    expect(found({ ...ORDINARY_DEVICE, ...phone })).toEqual({})
  })

  it('is no evidence when nothing could be measured', () => {
    expect(found({})).toEqual({})
    expect(found({}, 'fingerprint of another SDK')).toEqual({})
  })

  it.each<[string, DeviceFacts, Record<string, number>]>([
    ['WebDriver', { webdriver: true }, { automated_browser: 75 }],
    ['Selenium', { bot_kind: 'selenium' }, { automated_browser: 75 }],
    ['no window', { bot_kind: 'headless_chrome', webdriver: true }, { headless_browser: 75 }],
    ['a terminal with Electron', { bot_kind: 'electron' }, { embedded_browser: 0 }],
    ['WebDriver in Electron', { bot_kind: 'electron', webdriver: true }, { automated_browser: 75 }],
    ['a contradiction', { bot_kind: 'unknown' }, { altered_browser: 30 }],
    ['a replaced function', { alterations: ['canvas_replaced'] }, { altered_browser: 30 }],
    ['a phone on a computer', { ...phone, platform: 'Win32' }, { emulated_device: 50 }],
    ['a phone on Linux', { ...phone, platform: 'Linux x86_64' }, { emulated_device: 50 }],
    ['a phone without a GPU', { ...phone, renderer: 'SwiftShader' }, { emulated_device: 50 }],
    ['a computer without a GPU', { renderer: 'llvmpipe (LLVM 15)' }, { virtual_graphics: 10 }],
  ])('%s is found', (_what, device, expected) => {
    expect(found(device)).toEqual(expected)
  })

  it('contradicts another fingerprint that was sent next to it', () => {
    expect(found(ORDINARY_DEVICE, 'other')).toEqual({ tampered_report: 70 })
  })
})

it.each([
  ['changed', 70],
  ['expired', 10],
  ['unknown_key', 0],
  ['unreadable', 0],
] as const)(
  'a report that is %s has strength %d, and nothing else of it counts',
  (state, score) => {
    const evidence = assessReport(state, { webdriver: true }, 'a')
    expect(evidence.map((one) => one.score)).toEqual([score])
  },
)

it('a report that was sent before counts only with another person', () => {
  expect(assessReportUse({ is_repeated: false, people: 1 })).toBeUndefined()
  expect(assessReportUse({ is_repeated: true, people: 0 })?.score).toBe(0)
  expect(assessReportUse({ is_repeated: true, people: 1 })?.score).toBe(0)
  expect(assessReportUse({ is_repeated: true, people: 2 })).toMatchObject({
    finding: 'copied_report',
    score: 85,
  })
})

describe('the level of a check', () => {
  const levelOf = (device: DeviceFacts) =>
    conclude(
      HEAD,
      {
        email_signals: NO_EMAIL,
        phone_signals: undefined,
        evidence: assessReport('valid', device, undefined),
        hard_floor: 0,
      },
      [],
      0,
    ).result.risk_level

  it('is a challenge for a program, and permits what people have reasons for', () => {
    expect(levelOf({ webdriver: true })).toBe('high')
    expect(levelOf({ ...phone, platform: 'MacIntel' })).toBe('medium')
    expect(levelOf({ alterations: ['navigator_replaced'] })).toBe('low')
    expect(levelOf({ renderer: 'SwiftShader' })).toBe('low')
  })

  it.each([
    [1, 68, 80],
    [0.5, 34, 40],
    [0, 0, 0],
  ])('follows the confidence %d of the fingerprint', (fingerprint_confidence, shared, fast) => {
    const findings = {
      email_signals: NO_EMAIL,
      phone_signals: undefined,
      evidence: [],
      hard_floor: 0,
      fingerprint_confidence,
    }
    expect(conclude(HEAD, findings, [], 10).result.risk_score).toBe(shared)
    const counts = { count_5m: 200, count_1h: 200, count_1d: 200, count_7d: 200 }
    const velocity = [{ kind: 'device', counts }] as const
    expect(conclude(HEAD, findings, velocity, 0).result.risk_score).toBe(fast)
  })
})
