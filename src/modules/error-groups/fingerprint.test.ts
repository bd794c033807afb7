import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { type ErrorFacts, GROUPING_VERSION, groupError } from './fingerprint.ts'

const frames = (...names: string[]): string =>
  names.map((name, index) => `    at ${name} (/srv/app/cart.js:${index + 1}:1)`).join('\n')

const idOf = (facts: ErrorFacts): string => groupError(facts).fingerprint

describe('groupError', () => {
  it('reports its basis: stack, then type and code and message, then message', () => {
    const message = 'Order 12 is gone'
    expect(groupError({ type: 'Error', message, stack: frames('load') })).toMatchObject({
      basis: 'stack',
      title: 'Order <*> is gone',
    })
    expect(groupError({ code: 'E1', message }).basis).toBe('type_code_message')
    expect(groupError({ message }).basis).toBe('message')
    expect(groupError({ message, stack: 'no frames here' }).basis).toBe('message')
  })

  it('ignores the message only if the application threw', () => {
    const own = frames('load')
    const runtime = '    at connect (node:net:1:1)'
    expect(idOf({ message: 'one', stack: own })).toBe(idOf({ message: 'two', stack: own }))
    expect(idOf({ message: 'one', stack: runtime })).not.toBe(
      idOf({ message: 'two', stack: runtime }),
    )
  })

  it('counts the five frames nearest to the throw, each one once', () => {
    const five = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']
    const id = idOf({ message: '', stack: frames(...five) })
    expect(idOf({ message: '', stack: frames(...five, 'zeta') })).toBe(id)
    expect(
      idOf({ message: '', stack: frames('alpha', 'alpha', 'beta', 'alpha', ...five.slice(2)) }),
    ).toBe(id)
    expect(idOf({ message: '', stack: frames(...five.slice(0, 4)) })).not.toBe(id)
  })

  it('has a title even for an empty error', () => {
    expect(groupError({ message: '' }).title).toBe('No message')
    expect(groupError({ type: 'a.b.Oops', message: ' ' }).title).toBe('Oops')
    expect(groupError({ message: '', stack: `TypeError: x 12\n${frames('load')}` }).title).toBe(
      'x <*>',
    )
  })

  // Fingerprints are stored: when one of these changes, GROUPING_VERSION must increase.
  it.each([
    [{ message: 'Order 12 is gone' }, '79b1772058d186177605b2adff5042ef'],
    [
      { type: 'TimeoutError', code: 'E1', message: 'no answer' },
      'dc1733f42b85f770052ee07821ad5d32',
    ],
    [
      { type: 'TypeError', message: 'x', stack: frames('load', 'start') },
      'faee9ccb27da64e3f508bbc756d425b1',
    ],
  ])('of version 1 is %o in the group %s', (facts, fingerprint) => {
    expect(GROUPING_VERSION).toBe(1)
    expect(idOf(facts)).toBe(fingerprint)
  })

  it('is deterministic, well formed, and never throws', () => {
    const field = fc.option(fc.string({ unit: anyCharacter, maxLength: 300 }), { nil: undefined })
    const message = fc.string({ unit: anyCharacter, maxLength: 300 })
    fc.assert(
      fc.property(fc.record({ type: field, code: field, message, stack: field }), (facts) => {
        const group = groupError(facts)
        expect(group).toEqual(groupError({ ...facts }))
        expect(group.fingerprint).toMatch(/^[0-9a-f]{32}$/)
        expect(group.title).not.toBe('')
      }),
    )
  })

  it('never throws on pieces of stacks in any order', () => {
    const piece = fc.constantFrom(
      'at ',
      '\tat a.b.C.d(C.java:1)',
      'Caused by: ',
      '... 9 more',
      '#0 ',
      '#0 {main}',
      '  File "',
      'a@b:1:2',
      'Traceback (most recent call last):',
      'goroutine 1 [running]:',
      '\t/x.go:1',
      'panic: ',
      'f()',
      '\n',
      '(',
      ')',
      '0   A 0x1 ',
      ' + 1',
      'package:a ',
      ' ---> ',
      'Next ',
      '-[',
      ' in ',
      '<',
      '@',
      ':',
      '"',
      '    at ',
      '.',
      '$$',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const stack = pieces.join('')
        expect(groupError({ message: '', stack })).toEqual(groupError({ message: '', stack }))
      }),
      { numRuns: 500 },
    )
  })

  it('does not change with ids, lines and columns', () => {
    const at = (id: number, line: number, column: number): ErrorFacts => ({
      type: 'TypeError',
      message: `Order ${id} is gone`,
      stack: `TypeError: Order ${id} is gone\n    at load (https://a.example/main.js:${line}:${column})`,
    })
    const number = fc.nat()
    fc.assert(
      fc.property(number, number, number, (id, line, column) => {
        expect(idOf(at(id, line, column))).toBe(idOf(at(1, 1, 1)))
        expect(idOf({ message: at(id, 1, 1).message })).toBe(idOf({ message: at(1, 1, 1).message }))
      }),
    )
  })

  it('reads only the two ends of a long stack', () => {
    const middle = (letter: string) => `    at ${letter.repeat(40)} (/srv/x.js:1:1)\n`.repeat(3_000)
    const stack = (letter: string) =>
      `${frames('load', 'start')}\n${middle('q')}${middle(letter)}${middle('q')}`
    expect(idOf({ message: '', stack: stack('v') })).toBe(idOf({ message: '', stack: stack('w') }))
  })

  it.each([
    'at ',
    '    at x (',
    '(',
    '@',
    'a@b:1:2\n',
    '\tat a.a.A.a(A.java:1)\n',
    'Caused by: a.B: c\n\tat a.B.c(B.java:1)\n\t... 99 more\n',
    '  File "a", line 1, in b\n',
    '#0 /a.php(1): b()\n',
    '#0 a (package:a/a.dart:1:1)\n',
    'f()\n\t/a.go:1\n',
    '0 A 0x1 b + 1\n',
    '   at A.B<C>d__1.M() in a:line 1\n',
    ':1',
    ' in ',
    '<',
    '\n',
    '\t',
    '"',
    '((',
    'a.',
    '$$',
    'Error: ',
    'x/<',
    '*',
  ])('ends in time on 200 KB of %j', (piece) => {
    const hostile = piece.repeat(Math.ceil(200_000 / piece.length))
    const facts = { type: hostile, code: hostile, message: hostile, stack: hostile }
    expect(groupError(facts)).toEqual(groupError(facts))
    expect(groupError({ message: hostile }).fingerprint).toMatch(/^[0-9a-f]{32}$/)
  })
})
