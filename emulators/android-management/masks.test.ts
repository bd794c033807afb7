import { describe, expect, test } from 'vitest'
import { applyUpdate, readMask, selectFields } from './masks.ts'

describe('an update', () => {
  const before = { name: 'n', a: 1, b: { c: 2, d: 3 } }

  test('without a mask replaces all but the protected members', () => {
    expect(applyUpdate(before, { name: 'x', e: 4 }, null, ['name'])).toEqual({ name: 'n', e: 4 })
  })

  test('with a mask replaces, adds and removes the named members', () => {
    expect(applyUpdate(before, { b: { c: 9 } }, 'a,b.c,b.x', [])).toEqual({
      name: 'n',
      b: { c: 9, d: 3 },
    })
    expect(applyUpdate(before, { b: {} }, 'b.d', [])).toEqual({ name: 'n', a: 1, b: { c: 2 } })
  })

  test('does not modify the original', () => {
    applyUpdate(before, { b: { c: 9 } }, 'b.c', [])
    expect(before.b.c).toBe(2)
  })

  test('accepts masks in snake_case and camelCase', () => {
    expect(readMask('policy_name, state')).toEqual(['policyName', 'state'])
  })
})

describe('a selection of fields', () => {
  const value = {
    devices: [{ name: 'a', state: 'x', info: { brand: 'b', model: 'm' } }],
    next: 't',
  }

  test.each<[string, unknown]>([
    ['next', { next: 't' }],
    ['devices(name)', { devices: [{ name: 'a' }] }],
    [
      'next,devices(name,info/brand)',
      { devices: [{ name: 'a', info: { brand: 'b' } }], next: 't' },
    ],
    ['devices/info(model)', { devices: [{ info: { model: 'm' } }] }],
    ['*', value],
    ['devices/*', { devices: value.devices }],
    ['none', {}],
  ])('%s', (fields, expected) => {
    expect(selectFields(value, fields)).toEqual(expected)
  })

  test.each(['', 'a(', 'a(b', 'a)', 'a/', ',a'])('%j is refused', (fields) => {
    expect(() => selectFields(value, fields)).toThrow('Invalid field selection')
  })
})
