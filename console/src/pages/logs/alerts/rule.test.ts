import { describe, expect, it } from 'vitest'
import {
  conditionOf,
  conditionWords,
  formOf,
  numbersOf,
  RULE_DEFAULTS,
  shareOf,
  thresholdText,
} from './rule.ts'

const COUNT = { kind: 'count', ratio_percent: null } as const

describe('a log alert rule in the form', () => {
  it('has a condition of the fields that are filled in', () => {
    const rule = { ...RULE_DEFAULTS, level: 'error,fatal', category: 'payment', q: ' ' }
    expect(conditionOf(rule)).toEqual({ level: 'error,fatal', category: 'payment' })
    expect(conditionOf(RULE_DEFAULTS)).toEqual({})
  })

  it('has numbers only when both are integers within the limits of the service', () => {
    expect(numbersOf(RULE_DEFAULTS)).toEqual({ threshold: 10, window_minutes: 5 })
    for (const wrong of ['', '0', '-1', '1.5', '1e3', 'x', '9999999999']) {
      expect(numbersOf({ ...RULE_DEFAULTS, threshold: wrong })).toBeUndefined()
    }
    expect(numbersOf({ ...RULE_DEFAULTS, window_minutes: '1441' })).toBeUndefined()
  })

  it('is described in words', () => {
    expect(conditionWords({})).toBe('All logs')
    expect(conditionWords({ level: 'error', device_id: '<b>', q: 'x' })).toBe(
      'Level: error · Device: <b> · Query: x',
    )
    expect(thresholdText({ ...COUNT, threshold: 45, window_minutes: 1440 })).toBe('45 in 24 hours')
    expect(thresholdText({ ...COUNT, threshold: 1200, window_minutes: 90 })).toBe(
      '1,200 in 90 minutes',
    )
    const silent = { ...COUNT, kind: 'absence', window_minutes: 10 } as const
    expect(thresholdText({ ...silent, threshold: 1 })).toBe('none in 10 minutes')
    expect(thresholdText({ ...silent, threshold: 5 })).toBe('fewer than 5 in 10 minutes')
    const share = { kind: 'ratio', ratio_percent: 2.5, threshold: 20, window_minutes: 60 } as const
    expect(thresholdText(share)).toBe('20 and 2.5% in 1 hour')
    const group = { ...COUNT, kind: 'new_group', threshold: 1, window_minutes: 5 } as const
    expect(thresholdText(group)).toBe('1 new group in 5 minutes')
  })

  it('has a share only of the kind ratio', () => {
    expect(shareOf({ ...RULE_DEFAULTS, ratio_percent: '5' })).toEqual({})
    const ratio = { ...RULE_DEFAULTS, kind: 'ratio' }
    expect(shareOf({ ...ratio, ratio_percent: '2.5' })).toEqual({ ratio_percent: 2.5 })
    for (const wrong of ['', '0', '101', 'x'])
      expect(shareOf({ ...ratio, ratio_percent: wrong })).toBeUndefined()
  })

  it('of an existing rule fills the form', () => {
    const form = formOf({
      id: 'r1',
      name: 'Errors',
      condition: { level: 'error', q: 'card' },
      threshold: 3,
      window_minutes: 5,
      kind: 'ratio',
      ratio_percent: 2.5,
      muted_until: null,
      status: 'ok',
      last_fired_at: null,
      last_resolved_at: null,
    })
    expect(conditionOf(form)).toEqual({ level: 'error', q: 'card' })
    expect({ ...numbersOf(form), ...shareOf(form) }).toEqual({
      threshold: 3,
      window_minutes: 5,
      ratio_percent: 2.5,
    })
  })
})
