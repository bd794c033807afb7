import { describe, expect, it } from 'vitest'
import { findStructuralFaults } from './json-faults.ts'

const find = (text: string, depthMax: number) => findStructuralFaults(text, depthMax).whole

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
  ])('is reported with its path: %s', (text, path) => {
    expect(find(text, 32)).toEqual({ path, problem: 'occurs more than once' })
  })

  it.each([
    ['a colon, comma or brace inside a string', '{"a":"{\\"b\\":1,\\"b\\":2}","c":",:"}'],
    ['the same key in different objects', '{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]}'],
    ['a string value equal to a key', '{"a":"b","b":"a"}'],
  ])('is not found in %s', (_, text) => {
    expect(find(text, 32)).toBeUndefined()
  })
})

describe('too deep nesting', () => {
  it('is reported with the first member that is too deep', () => {
    expect(find('{"a":[1,{"b":{"c":{}}}]}', 4)).toEqual({
      path: 'a.1.b.c',
      problem: 'is nested more than 4 levels deep',
    })
  })

  it('is allowed up to the limit, and does not add up among siblings', () => {
    expect(find('[[[]],[[]],[[]]]', 3)).toBeUndefined()
    expect(find('[[[[]]]]', 3)?.problem).toBe('is nested more than 3 levels deep')
  })
})

describe('a text that is not JSON', () => {
  it.each(['', '"', '"\\', '}', ']]]', '{"a', '{"a":', '{{', '{"a":1,,"b"', '{,}'])(
    'is read to its end: %j',
    (text) => {
      expect(find(text, 32)).toBeUndefined()
    },
  )

  it('is read to its end without a stack overflow, however long', () => {
    const long = `{"a":"${'\\n'.repeat(20_000_000)}","b":1,"b":2}`
    expect(find(long, 32)?.path).toBe('b')
  })
})
