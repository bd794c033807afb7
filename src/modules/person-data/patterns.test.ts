import { describe, expect, it } from 'vitest'
import { spellingsOf } from '../checks/index.ts'
import { emailPattern, type Pattern, phonePattern, textPattern } from './patterns.ts'

const finds = (pattern: Pattern | undefined, text: string): boolean =>
  pattern !== undefined &&
  new RegExp(pattern.before + pattern.value + pattern.after, pattern.ignores_case ? 'i' : '').test(
    text,
  )

describe('a pattern', () => {
  it('finds an e-mail address in its spellings, and none that contains it', () => {
    const pattern = emailPattern(spellingsOf('annlee@gmail.com'))
    for (const text of [
      'ann.lee@gmail.com',
      'To: ANNLEE+x@googlemail.com.',
      '{"a":"annlee@gmail.com"}',
    ]) {
      expect([text, finds(pattern, text)]).toEqual([text, true])
    }
    for (const text of [
      'joann.lee@gmail.com',
      'annlee@gmail.com.au',
      'annlee@gmail.community',
      'x+annlee@gmail.com',
    ]) {
      expect([text, finds(pattern, text)]).toEqual([text, false])
    }
    expect(finds(pattern, JSON.stringify('called\nannlee@gmail.com\nagain'))).toBe(true)
  })

  it('finds a phone number with separators, and no longer one', () => {
    const pattern = phonePattern('+12025550143')
    for (const text of ['+12025550143', '+1 (202) 555-0143', 'call 0012025550143.']) {
      expect([text, finds(pattern, text)]).toEqual([text, true])
    }
    for (const text of ['+120255501439', '12025550143', '4+12025550143']) {
      expect([text, finds(pattern, text)]).toEqual([text, false])
    }
  })

  it('finds an id as a whole word, one of digits in quotes only, and a short one not at all', () => {
    expect(finds(textPattern('customer-1'), '{"id":"customer-1"}')).toBe(true)
    for (const text of ['customer-12', 'my-customer-1', 'customer-1-2']) {
      expect([text, finds(textPattern('customer-1'), text)]).toEqual([text, false])
    }
    expect(finds(textPattern('12345678'), '{"n":12345678}')).toBe(false)
    expect(finds(textPattern('12345678'), '{"n":"12345678"}')).toBe(true)
    expect(textPattern('12345')).toBeUndefined()
    const odd = 'a"b\\c$1'
    expect(finds(textPattern(odd), JSON.stringify({ id: odd }))).toBe(true)
  })
})
