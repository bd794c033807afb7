import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  matchesSearch,
  parseSearch,
  SEARCH_WORDS_MAX,
  searchedWords,
  wordsOf,
} from './search-query.ts'

const finds = (q: string, message: string): boolean => {
  const query = parseSearch(q)
  return query !== undefined && matchesSearch(query, message)
}

describe('a search', () => {
  it('finds a message in which all words occur, in any order and case', () => {
    expect(finds('refused CONNECTION', 'Connection to 10.0.0.7 refused')).toBe(true)
    expect(finds('refused connection', 'Connection lost')).toBe(false)
  })

  it('knows whole words only', () => {
    expect(finds('connect', 'connection')).toBe(false)
    expect(finds('pay', 'pay-desk')).toBe(true)
  })

  it('takes words in quotes as they follow each other, whatever stands between them', () => {
    expect(finds('"connection refused"', 'ERROR: Connection... refused!')).toBe(true)
    expect(finds('"connection refused"', 'refused connection')).toBe(false)
    expect(finds('"connection refused"', 'connection was refused')).toBe(false)
    expect(finds('"refused by" peer', 'peer: refused by')).toBe(true)
  })

  it('takes a quote that is not closed as one that is', () => {
    expect(finds('"a b', 'a b')).toBe(true)
    expect(finds('"a b', 'b a')).toBe(false)
  })

  it('splits at every sign, as the messages are', () => {
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
  ])('finds %s in %s: case, composition and signs do not matter in any alphabet', (q, message) => {
    expect(finds(q, message)).toBe(true)
  })

  it('finds characters of scripts without spaces where they stand together', () => {
    expect(finds('日本語', 'これは日本語です')).toBe(true)
    expect(finds('語本', 'これは日本語です')).toBe(false)
    expect(finds('日本語 abc', 'abc:日本語')).toBe(true)
  })

  it.each(['', ' ', '""', '…!', '🐎', '" "'])('is none without a word: %j', (q) => {
    expect(parseSearch(q)).toBeUndefined()
  })

  it('is none with more words than there may be', () => {
    const words = Array.from({ length: SEARCH_WORDS_MAX + 1 }, (_, index) => `w${index}`)
    expect(parseSearch(words.join(' '))).toBeUndefined()
    expect(parseSearch(words.slice(1).join(' '))?.words).toHaveLength(SEARCH_WORDS_MAX)
  })

  it('finds every message by any of its own words and by all of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (message) => {
        const words = wordsOf(message)
        for (const word of words.slice(0, 8)) expect(finds(word, message)).toBe(true)
        if (words.length > 0 && new Set(words).size <= SEARCH_WORDS_MAX) {
          expect(finds(`"${words.join(' ')}"`, message)).toBe(true)
        }
      }),
    )
  })
})

describe('what is stored for the search', () => {
  it('is nothing for plain ASCII, which the engine reads by itself', () => {
    expect(searchedWords('Connection to 10.0.0.7 REFUSED\n')).toBe('')
  })

  it('is the words of any other message, in the form in which they are asked for', () => {
    expect(searchedWords('Grüße „ZÜRICH“…')).toBe('grüsse zürich')
  })

  it.each(['\u0301\u0316', '\uFF9E\u0316', '\u0344\u0316'])(
    'is soon there for a long message of nothing but marks: %j',
    (marks) => {
      const message = `a${marks.repeat(131_072)}`
      const [word = ''] = wordsOf(message)
      expect(word.length).toBeLessThanOrEqual(31)
      expect(wordsOf(word)).toEqual([word])
    },
  )

  it('is not many times as long as a message whose characters stand for many', () => {
    const message = '\uFDFA'.repeat(65_536)
    expect(searchedWords(message).length).toBeLessThan(4 * message.length)
    expect(finds('وسلم', '\uFDFA'.repeat(50))).toBe(true)
  })

  it('is never nothing for a message of signs alone', () => {
    expect(searchedWords('…')).toBe(' ')
  })
})
