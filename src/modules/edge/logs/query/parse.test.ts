import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../../../test/support/any-character.ts'
import { edgeLog } from '../../../../../test/support/edge-logs.ts'
import { createMatcher } from '../filters.ts'
import { lex } from './lexer.ts'
import {
  DATA_TERMS_MAX,
  parseQuery,
  QUERY_CHARS_MAX,
  QUERY_DEPTH_MAX,
  QUERY_TERMS_MAX,
} from './parse.ts'
import { readingOf } from './reading.ts'
import type { Query } from './tree.ts'
import { wordsOf } from './words.ts'

const parsed = (q: string): Query => {
  const query = parseQuery(q)
  if ('problem' in query) throw new Error(query.problem)
  return query
}
const reading = (q: string) => readingOf(parsed(q))
const numbered = (count: number, nameOf: (index: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, index) => nameOf(index)).join(between)

describe('the reading of a query', () => {
  it.each([
    ['card', 'word “card”'],
    ['card reader', 'word “card” AND word “reader”'],
    ['card_reader-7', 'words “card”, “reader”, “7”'],
    ['"card reader" 7', 'phrase “card reader” AND word “7”'],
    ['print* *head*', 'word beginning with “print” AND word containing “head”'],
    ['a OR b c', 'word “a” OR (word “b” AND word “c”)'],
    ['-(a OR b)', 'NOT (word “a” OR word “b”)'],
    ['level:error,fatal', 'level error or fatal'],
    ['device:till-*', 'device_id like “till-*”'],
    ['category:"Point of sale"', 'category = “point of sale”'],
    ['data.a.b:>=5 has:trace', 'data.a.b >= 5 AND has trace_id'],
    ['日本語', 'phrase “日 本 語”'],
    ['프린터 7', 'word “프린터” (or with a particle) AND word “7”'],
    ['time:15m', 'time within the last 15m'],
    ['time:<-2h', 'time < 2h ago'],
    ['time:Yesterday', 'time = Yesterday (UTC)'],
    ['time:>=2026-03-01', 'time >= 2026-03-01 (UTC)'],
    ['time:2026-03-01T12:00+01:00', 'time = 2026-03-01T12:00+01:00'],
    ['time:2026-03-01T12:00', 'time = 2026-03-01T12:00 (UTC)'],
    ['((a)) AND (b)', 'word “a” AND word “b”'],
  ])('%j is %j', (q, read_as) => {
    expect(reading(q)).toMatchObject({ read_as, notes: [] })
  })

  it('has the place of each condition', () => {
    const q = 'card -level:error  (a OR "b c")'
    expect(
      reading(q).terms.map(({ start, end, is_excluded }) => [q.slice(start, end), is_excluded]),
    ).toEqual([
      ['card', false],
      ['level:error', true],
      ['a', false],
      ['"b c"', false],
    ])
  })

  it('has the words to mark in messages', () => {
    const q = 'card "paper low" *head* pri* *ter -not 로그 level:error'
    expect(reading(q).terms.map(({ words }) => words.join(' '))).toEqual([
      'card',
      'paper low',
      '*head*',
      'pri*',
      '*ter',
      'not',
      '로그*',
      '',
    ])
  })

  it.each([
    ['color:red', 'color:red', 'color is not a field'],
    ['a Error:timeout', 'Error:timeout', 'Error is not a field'],
    ['devcie:till', 'devcie:till', 'did you mean device?'],
    ['levl:error', 'levl:error', 'did you mean level?'],
    ['enviroment:x', 'enviroment:x', 'did you mean environment?'],
    ['message:x', 'message:x', 'the fields are level, time, device_id'],
    ['level:loud', 'level:loud', 'level must be one or more of'],
    ['data.a:>many', 'data.a:>many', '> needs a number'],
    ['time:soon', 'time:soon', 'time needs today, yesterday, a length'],
    ['has:color', 'has:color', 'has: needs a field'],
    ['a "b c', '"b c', 'quote is not closed'],
    ['a (b c', '(', 'parenthesis is not closed'],
  ])('explains in %j that %j was not read as one might expect', (q, part, text) => {
    const [note, ...others] = reading(q).notes
    expect(others).toEqual([])
    expect(note && q.slice(note.start, note.end)).toBe(part)
    expect(note?.text).toContain(text)
  })

  it.each([
    'https://example.com/a?b=c',
    '10.0.0.1:8080',
    '12:30:01',
    '{"level":"error","message":"card (reader) - silent"}',
    'at pay (pay.js:10:5)',
    'C:\\Temp\\card.log',
    'rm -rf /tmp --verbose',
    'Connection failed: timeout',
  ])('has nothing to explain in pasted text: %j', (q) => {
    const { notes } = reading(q)
    expect(notes).toEqual([])
  })
})

describe('a query that is too expensive', () => {
  it.each([
    ['words', numbered(QUERY_TERMS_MAX, (index) => `w${index}`), ' another'],
    ['prefixes', numbered(QUERY_TERMS_MAX, (index) => `w${index}*`), ' another'],
    ['fields', numbered(QUERY_TERMS_MAX, (index) => `tag:${index}`, ' OR '), ' OR tag:another'],
    ['conditions on data', numbered(DATA_TERMS_MAX, (index) => `data.a:${index}`), ' has:data.b'],
  ])('has too many different %s', (_name, most, more) => {
    expect(
      parseQuery(`${most} ${most.slice(0, 2 * QUERY_CHARS_MAX - 1 - most.length)}`),
    ).toHaveProperty('node')
    expect(parseQuery(most + more)).toHaveProperty('problem')
  })

  it('has too many groups in each other', () => {
    const nested = (levels: number) =>
      numbered(levels, (index) => (index % 2 === 0 ? '(a OR ' : '(b '), '') + 'c'
    expect(parseQuery(nested(QUERY_DEPTH_MAX))).toHaveProperty('node')
    expect(parseQuery(nested(QUERY_DEPTH_MAX + 1))).toHaveProperty('problem')
  })

  it('is not one with parentheses that mean nothing', () => {
    expect(reading(`${'('.repeat(500)}card${')'.repeat(500)}`).read_as).toBe('word “card”')
  })
})

describe('the parser', () => {
  const PIECES = [
    'card',
    'READER',
    'or',
    'OR',
    'AND',
    'NOT',
    '-',
    '--',
    '(',
    ')',
    '"',
    '*',
    ' ',
    '\t',
    ':',
    'level:',
    'error',
    'device:',
    'data.a:',
    'data.',
    'has:',
    '>',
    '>=',
    '5',
    ',',
    '\\',
    '/',
    '日本',
    'ï',
    '\ud800',
    '\0',
    '🐎',
    '{',
    '}',
    '\u0301',
  ]
  const text = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
    fc.string({ unit: anyCharacter, maxLength: 200 }),
  )

  it('accepts any text and never returns more than its limits', () => {
    fc.assert(
      fc.property(text, (q) => {
        const query = parseQuery(q)
        if ('problem' in query) {
          expect(query.problem.length).toBeLessThan(100)
          return
        }
        const { read_as, terms, notes } = readingOf(query)
        expect(read_as.length).toBeLessThan(60 * (q.length + 1))
        expect(notes.length).toBeLessThanOrEqual(q.length)
        for (const { start, end } of [...terms, ...notes]) {
          expect(start).toBeLessThan(end)
          expect(end).toBeLessThanOrEqual(q.length)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('reads each character once', () => {
    fc.assert(
      fc.property(text, (q) => {
        let before = 0
        for (const { start, end } of lex(q).tokens) {
          expect(start).toBeGreaterThanOrEqual(before)
          expect(end).toBeGreaterThan(start)
          before = end
        }
        expect(before).toBeLessThanOrEqual(q.length)
      }),
      { numRuns: 3000 },
    )
  })

  it('keeps the meaning of words and phrases without operators', () => {
    const pieces = ['card', 'Reader', '7', ' ', ' ', '…', '.', '"', '_', 'ß', 'ss', ',', '/', '(a)']
    const plain = fc
      .array(fc.constantFrom(...pieces), { maxLength: 12 })
      .map((some) => some.join(''))
    const holds = (words: string[], wanted: string[]) =>
      ` ${words.join(' ')} `.includes(` ${wanted.join(' ')} `)
    fc.assert(
      fc.property(plain, plain, (q, message) => {
        const phrases = [...q.matchAll(/"([^"]*)"?/g)].map(([, quoted = '']) => wordsOf(quoted))
        const words = wordsOf(message)
        const expected =
          wordsOf(q).length > 0 &&
          wordsOf(q).every((word) => words.includes(word)) &&
          phrases.every((phrase) => phrase.length === 0 || holds(words, phrase))
        expect(createMatcher({ q })(edgeLog({ org_id: '', message }))).toBe(expected)
      }),
      { numRuns: 3000 },
    )
  })
})
