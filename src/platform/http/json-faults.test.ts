import { describe, expect, it } from 'vitest'
import { findStructuralFault } from './json-faults.ts'

describe('a repeated key', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":{"c":1,"d":2,"c":3}}', 'b.c'],
    ['{"orders":[{"id":1},{"id":1,"items":[{},{"x":1,"x":1}]}]}', 'orders.1.items.1.x'],
    ['[{"a":1},{"a":1,"a":2}]', '1.a'],
    [String.raw`{"a":1,"\u0061":2}`, 'a'],
    [String.raw`{"say \"a\"":1,"say \"a\"":2}`, 'say "a"'],
    [String.raw`{"a":"\\","a":2}`, 'a'],
    ['{"":1,"":2}', ''],
    ['{"a":{"b":1},"b":{"b":1},"a":2}', 'a'],
    ['{"a":[1,[2,3],{"b":[]}],"c":{"b":1},"c":2}', 'c'],
  ])('is named with its path: %s', (text, path) => {
    expect(findStructuralFault(text, 32)).toEqual({ path, problem: 'occurs more than once' })
  })

  it.each([
    ['a colon, comma or brace inside of a string', '{"a":"{\\"b\\":1,\\"b\\":2}","c":",:"}'],
    ['the same key in different objects', '{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]}'],
    ['a string value equal to a key', '{"a":"b","b":"a"}'],
  ])('is not seen in %s', (_, text) => {
    expect(findStructuralFault(text, 32)).toEqual({ path: '', problem: 'is not valid JSON' })
  })
})

describe('too deep nesting', () => {
  it('is named with the member that goes too far', () => {
    expect(findStructuralFault('{"a":[1,{"b":{"c":{}}}]}', 4)).toEqual({
      path: 'a.1.b.c',
      problem: 'is nested more than 4 levels deep',
    })
  })

  it('is allowed up to the limit, and does not add up among neighbours', () => {
    expect(findStructuralFault('[[[]],[[]],[[]]]', 3).problem).toBe('is not valid JSON')
    expect(findStructuralFault('[[[[]]]]', 3).problem).toBe('is nested more than 3 levels deep')
  })
})

describe('a text that is not JSON at all', () => {
  it.each(['', '"', '"\\', '}', ']]]', '{"a', '{"a":', '{{', '{"a":1,,"b"', '{,}'])(
    'gets an answer: %j',
    (text) => {
      expect(findStructuralFault(text, 32).problem).toBe('is not valid JSON')
    },
  )

  it('is read to its end without running out of stack, however long', () => {
    const long = `{"a":"${'\\n'.repeat(20_000_000)}","b":1,"b":2}`
    expect(findStructuralFault(long, 32).path).toBe('b')
  })
})
