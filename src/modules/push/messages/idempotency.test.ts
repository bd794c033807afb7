import { describe, expect, it } from 'vitest'
import { fingerprintOf, readIdempotencyKey } from './idempotency.ts'

const refused = (header: string | string[] | undefined) => {
  try {
    return readIdempotencyKey(header)
  } catch (error) {
    return (error as { body: { content: { field: string } } }).body.content.field
  }
}

describe('the header Idempotency-Key', () => {
  it.each([
    ['order-8841', 'order-8841'],
    ['"order-8841"', 'order-8841'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['a"b', 'a"b'],
    ['k'.repeat(255), 'k'.repeat(255)],
    [`"${'k'.repeat(255)}"`, 'k'.repeat(255)],
  ])('%s contains the key %s', (header, key) => {
    expect(readIdempotencyKey(header)).toBe(key)
  })

  it.each([
    undefined,
    '',
    '""',
    '"',
    '"a',
    '"a"b"',
    '"a\\b"',
    'a b',
    'a, a',
    'ä',
    'a\tb',
    'k'.repeat(256),
    `"${'k'.repeat(256)}"`,
  ])('%j is rejected by name', (header) => {
    expect(refused(header)).toBe('Idempotency-Key')
  })
})

describe('the fingerprint of a request', () => {
  const request = { all: true, title: 'Hello', data: { a: '1', b: '2' } }

  it('does not depend on the order of fields', () => {
    const other = { data: { b: '2', a: '1' }, title: 'Hello', all: true }
    expect(fingerprintOf(request)).toEqual(fingerprintOf(other))
  })

  it('differs when anything else differs', () => {
    const others = [
      { ...request, title: 'Hello!' },
      { ...request, data: { a: '1' } },
      { ...request, badge: 0 },
    ]
    const all = [request, ...others].map((each) => fingerprintOf(each).toString('hex'))
    expect(new Set(all).size).toBe(4)
  })
})
