import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseExact } from './exact-json.ts'

afterEach(() => vi.restoreAllMocks())

describe('JSON of the service', () => {
  it('is parsed as usual where the browser does not report the source of a number', () => {
    expect(parseExact('{"a":[1,null,"x",0.5]}')).toEqual({ a: [1, null, 'x', 0.5] })
    expect(() => parseExact('{')).toThrow(SyntaxError)
  })
})
