import { describe, expect, it } from 'vitest'
import { conditionOf, conditionWords, numbersOf, RULE_DEFAULTS, thresholdText } from './rule.ts'

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
    expect(thresholdText({ threshold: 45, window_minutes: 1440 })).toBe('45 in 24 hours')
    expect(thresholdText({ threshold: 1200, window_minutes: 90 })).toBe('1,200 in 90 minutes')
  })
})
