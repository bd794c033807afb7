import { assert, jsonValue, property, stringMatching } from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  hasLongNumber,
  losesNumber,
  parseExact,
  stringifyExact,
  withNumbers,
} from './exact-json.ts'

/** As the intake of a batch decides. */
const needsCare = (text: string) =>
  hasLongNumber(Buffer.from(text)) || losesNumber(JSON.parse(text) as unknown)

describe('a number of JSON', () => {
  it.each([
    '9007199254740993',
    '-9223372036854775808',
    '123456789012345678901234567890',
    '0.1000000000000000055511151231257827',
    '1234567890123.4567',
    '-0',
    '-0.0',
    '1e400',
    '-1E+400',
    '12345678901234567e2',
  ])('keeps its digits: %s', (number) => {
    for (const text of [number, `[${number}]`, `{"a":[1,${number}],"b":{"c":${number}}}`]) {
      expect(stringifyExact(parseExact(text))).toBe(text)
      expect(needsCare(text)).toBe(true)
    }
    expect(stringifyExact(parseExact(`{"a" : ${number} }`))).toBe(`{"a":${number}}`)
  })

  it.each(['0', '-1', '9007199254740991', '0.1', '0.30000000000000004', '1.5e-7', '-0.5'])(
    'that a double holds stays a number: %s',
    (number) => {
      expect(parseExact(`{"a":${number}}`)).toEqual({ a: Number(number) })
    },
  )

  it('is not looked for in texts', () => {
    for (const text of ['12345678901234567890', ':12345678901234567890,', '\\",[-0', '1e400']) {
      expect(parseExact(JSON.stringify({ [text]: text }))).toEqual({ [text]: text })
    }
    expect(parseExact('["\\\\",12345678901234567890,"\\\\\\""]')).toHaveLength(3)
  })

  it('is not suspected in a quoted id', () => {
    const ids = { micros: '1772366096789123', hex: '4bf92f3577b34da6a3ce929d01234567890123456' }
    expect(needsCare(JSON.stringify(ids))).toBe(false)
  })

  it('in a long text costs linear time', () => {
    for (const piece of ['\\n', '1', ' ', ':', '"":1,', '\\\\', '-0']) {
      const text = JSON.stringify([piece.repeat(500_000), 1]).replace(',1]', ',-0]')
      expect(stringifyExact(parseExact(text))).toBe(text)
    }
  }, 5000)
})

describe('JSON', () => {
  it('of any numbers is written as it was read', () => {
    const number = stringMatching(/^-?(0|[1-9][0-9]{0,30})(\.[0-9]{0,30}[1-9])?$/)
    assert(
      property(jsonValue(), number, (value, digits) => {
        const text = `[${JSON.stringify(value)},${digits},"${digits}"]`
        const again = stringifyExact(parseExact(text))
        expect(again).toBe(text)
        if (!needsCare(text)) expect(JSON.stringify(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('without marked numbers is not changed', () => {
    expect(withNumbers('{"a":"number 1"}')).toBe('{"a":"number 1"}')
  })

  it('that is not valid is refused', () => {
    expect(() => parseExact('{"a":12345678901234567890')).toThrow(SyntaxError)
  })
})
