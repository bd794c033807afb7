import { describe, expect, it } from 'vitest'
import { conditionOf, conditionWords, numbersOf, RULE_DEFAULTS } from './rule.ts'

describe('a rule that is typed', () => {
  it('has a condition of what was filled in', () => {
    const rule = { ...RULE_DEFAULTS, level: 'error,fatal', category: 'payment', q: ' ' }
    expect(conditionOf(rule)).toEqual({ level: 'error,fatal', category: 'payment' })
    expect(conditionOf(RULE_DEFAULTS)).toEqual({})
  })

  it('has numbers only when both are whole and within what the service takes', () => {
    expect(numbersOf(RULE_DEFAULTS)).toEqual({ threshold: 10, window_minutes: 5 })
    for (const wrong of ['', '0', '-1', '1.5', '1e3', 'x', '9999999999']) {
      expect(numbersOf({ ...RULE_DEFAULTS, threshold: wrong })).toBeUndefined()
    }
    expect(numbersOf({ ...RULE_DEFAULTS, window_minutes: '1441' })).toBeUndefined()
  })

  it('is told in words', () => {
    expect(conditionWords({})).toBe('all logs')
    expect(conditionWords({ level: 'error', device_id: '<b>', q: 'x' })).toBe(
      'level error · device <b> · words x',
    )
  })
})
