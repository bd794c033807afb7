import { describe, expect, it } from 'vitest'
import type { RuleSection } from '../../../../src/modules/orders/rules/schema.ts'
import { changesBetween, draftOf, errorOf, normalized, overridesOf } from './draft.ts'

const number = (name: string, usual: number, active = usual) => ({
  name,
  label: name.toUpperCase(),
  unit: 'of 100',
  about: '',
  raising: '',
  default: usual,
  active,
  min: 0,
  max: 100,
  slider_max: 100,
  step: 1,
})
const SECTIONS: RuleSection[] = [
  { section: 's', title: 'First', about: '', parameters: [number('a', 1, 5), number('b', 2)] },
  { section: 't', title: 'Second', about: '', parameters: [number('a', 3)] },
]

describe('a draft', () => {
  it('builds on the active rules', () => {
    expect(overridesOf(SECTIONS, {})).toEqual({ s: { a: 5 } })
    expect(overridesOf(SECTIONS, { 't.a': 9 })).toEqual({ s: { a: 5 }, t: { a: 9 } })
    expect(overridesOf(SECTIONS, { 's.a': 1 })).toEqual({})
  })

  it('contains only values that differ', () => {
    expect(normalized(SECTIONS, { 's.a': 5, 's.b': 4, 'gone.x': 1 })).toEqual({ 's.b': 4 })
    expect(normalized(SECTIONS, JSON.parse('{"__proto__":1}') as Record<string, number>)).toEqual(
      {},
    )
  })

  it('can be created from a replay', () => {
    expect(draftOf(SECTIONS, { t: { a: 9 } })).toEqual({ 's.a': 1, 't.a': 9 })
    expect(draftOf(SECTIONS, { s: { a: 5 } })).toEqual({})
  })

  it('lists its differences with their names', () => {
    expect(changesBetween(SECTIONS, { s: { a: 5 } }, { s: { a: 5, b: 7 } })).toEqual([
      { field: 's.b', section: 'First', label: 'B', unit: 'of 100', from: 2, to: 7 },
    ])
  })
})

it.each([
  ['', 'Enter a number.'],
  ['x', 'Enter a number.'],
  ['1e999', 'Enter a number.'],
  ['-1', 'Enter a number of at least 0.'],
  ['100.5', 'Enter a number of at most 100.'],
  ['0', undefined],
  ['99.5', undefined],
])('the input %j has the error %s', (text, error) => {
  expect(errorOf(text, { min: 0, max: 100 })).toBe(error)
})
