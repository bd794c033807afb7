import { describe, expect, it } from 'vitest'
import { dataPart } from './data-tokens.ts'
import { parseQuery } from './parse.ts'

describe('the part of the data that a condition with * requires', () => {
  it.each([
    ['data.a:till-*', '"till-'],
    ['data.a:*-17', '-17"'],
    ['data.a:*till*', 'till'],
    ['data.a:ab*longest*c', 'longest'],
    ['data.a:TILL*', '"till'],
    ['data.a:ü*abc', 'abc"'],
    // Its quote and backslash are written in another way in JSON.
    ['data.a:x\\*', undefined],
    ['data.a:ü*', undefined],
    ['data.a:*', undefined],
    ['data.a:17', undefined],
    ['has:data.a', undefined],
  ])('%s: %s', (q, part) => {
    const query = parseQuery(q)
    if ('problem' in query || !('path' in query.node)) throw new Error(`${q} is no such condition`)
    expect(dataPart(query.node)).toBe(part)
  })
})
