import { describe, expect, it } from 'vitest'
import { eventText, shortName, titleOf } from './case-text.ts'
import { nextCase } from './next-case.ts'

describe('a case', () => {
  it('is named by its cause', () => {
    expect(titleOf({ cause: { kind: 'profile', value: 'C-1' } })).toBe('Customer C-1')
    const pattern = { kind: 'pattern', value: 'total_mismatch' } as const
    expect(titleOf({ cause: pattern })).toBe('Pattern total mismatch')
  })

  it('has a short name for a long hash, with both of its ends', () => {
    const short = shortName(`begin${'x'.repeat(60)}end`)
    expect(short).toMatch(/^begin.*…x+end$/)
    expect(short.length).toBeLessThan(40)
  })

  it('has a history in sentences', () => {
    const decided = { decision: 'confirmed_fraud', items: 1 }
    expect(eventText({ kind: 'decided', details: decided })).toBe('marked 1 item as fraud')
    expect(eventText({ kind: 'closed', details: { outcome: 'mixed' } })).toBe(
      'closed the case as mixed',
    )
  })

  it.each([
    ['a', 'b'],
    ['c', 'b'],
    ['other', 'a'],
  ])('after %s, the case %s is opened', (decided, next) => {
    expect(nextCase(['a', 'b', 'c'], decided)).toBe(next)
  })

  it('after the only one, none is opened', () => {
    expect(nextCase(['a'], 'a')).toBe('')
  })
})
