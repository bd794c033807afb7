import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../../../test/support/any-character.ts'
import { edgeLog } from '../../../../../test/support/edge-logs.ts'
import { createMatcher } from '../filters.ts'
import { parseQuery, QUERY_TERMS_MAX } from './parse.ts'
import { searchedWords, wordsOf } from './words.ts'

const finds = (q: string, message: string): boolean =>
  createMatcher({ q })(edgeLog({ org_id: '', message }))

describe('a search', () => {
  it('finds a message in which all words occur, in any order and case', () => {
    expect(finds('refused CONNECTION', 'Connection to 10.0.0.7 refused')).toBe(true)
    expect(finds('refused connection', 'Connection lost')).toBe(false)
  })

  it('matches whole words only', () => {
    expect(finds('connect', 'connection')).toBe(false)
    expect(finds('pay', 'pay-desk')).toBe(true)
  })

  it('matches words in quotes only if they are adjacent, with any characters between them', () => {
    expect(finds('"connection refused"', 'ERROR: Connection... refused!')).toBe(true)
    expect(finds('"connection refused"', 'refused connection')).toBe(false)
    expect(finds('"connection refused"', 'connection was refused')).toBe(false)
    expect(finds('"refused by" peer', 'peer: refused by')).toBe(true)
  })

  it('treats an unclosed quote as closed at the end', () => {
    expect(finds('"a b', 'a b')).toBe(true)
    expect(finds('"a b', 'b a')).toBe(false)
  })

  it('splits at every character other than letters and digits, as messages are', () => {
    expect(finds('E-42', 'code e_42')).toBe(true)
    expect(finds('10.0.0.7', 'host 10:0:7')).toBe(true)
  })

  it.each([
    ['grüße', 'GRÜSSE'],
    ['STRASSE', 'Straße'],
    ['привет', '— ПРИВЕТ!'],
    ['ΟΔΟΣ', 'οδος'],
    ['istanbul', 'İSTANBUL'],
    ['cafe\u0301', 'CAFÉ'],
    ['abc', 'ＡＢＣ'],
    ['x', '„x“…'],
  ])(
    'finds %s in %s: case, composition and punctuation do not matter in any alphabet',
    (q, message) => {
      expect(finds(q, message)).toBe(true)
    },
  )

  it('finds adjacent characters of scripts without spaces', () => {
    expect(finds('日本語', 'これは日本語です')).toBe(true)
    expect(finds('語本', 'これは日本語です')).toBe(false)
    expect(finds('日本語 abc', 'abc:日本語')).toBe(true)
  })

  it.each(['', ' ', '""', '…!', '🐎', '" "'])('is invalid without a word: %j', (q) => {
    expect(parseQuery(q)).toHaveProperty('problem')
  })

  it('is invalid with more than the maximum number of words', () => {
    const words = Array.from({ length: QUERY_TERMS_MAX + 1 }, (_, index) => `w${index}`)
    expect(parseQuery(words.join(' '))).toHaveProperty('problem')
    expect(parseQuery(words.slice(1).join(' '))).toHaveProperty('node')
  })

  it('finds every message by any of its words and by all of them', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), (message) => {
        const words = wordsOf(message)
        for (const word of words.slice(0, 8)) expect(finds(word, message)).toBe(true)
        if (words.length > 0 && new Set(words).size <= QUERY_TERMS_MAX) {
          expect(finds(`"${words.join(' ')}"`, message)).toBe(true)
        }
      }),
    )
  })
})

describe('the stored search text', () => {
  it('is empty for plain ASCII, which the engine splits correctly', () => {
    expect(searchedWords('Connection to 10.0.0.7 REFUSED\n')).toBe('')
  })

  it('is the normalized words of any other message', () => {
    expect(searchedWords('Grüße „ZÜRICH“…')).toBe('grusse zurich')
  })

  it.each(['\u0301\u0316', '\uFF9E\u0316', '\u0344\u0316'])(
    'is computed quickly for a long message of combining marks: %j',
    (marks) => {
      const message = `a${marks.repeat(131_072)}`
      const [word = ''] = wordsOf(message)
      expect(word.length).toBeLessThanOrEqual(31)
      expect(wordsOf(word)).toEqual([word])
    },
  )

  it('is bounded for a message whose characters expand to many', () => {
    const message = '\uFDFA'.repeat(65_536)
    expect(searchedWords(message).length).toBeLessThan(4 * message.length)
    expect(finds('وسلم', '\uFDFA'.repeat(50))).toBe(true)
  })

  it('is not empty for a message without words', () => {
    expect(searchedWords('…')).toBe(' ')
  })
})
