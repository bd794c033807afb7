import { describe, expect, it } from 'vitest'
import type { RuleSection } from '../../../../src/modules/orders/rules/schema.ts'
import { changesBetween, draftOf, faultOf, overridesOf, tidied } from './draft.ts'

const number = (name: string, usual: number, in_force = usual) => ({
  name,
  label: name.toUpperCase(),
  unit: 'of 100',
  about: '',
  raising: '',
  default: usual,
  in_force,
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
  it('stands on what is in force', () => {
    expect(overridesOf(SECTIONS, {})).toEqual({ s: { a: 5 } })
    expect(overridesOf(SECTIONS, { 't.a': 9 })).toEqual({ s: { a: 5 }, t: { a: 9 } })
    expect(overridesOf(SECTIONS, { 's.a': 1 })).toEqual({})
  })

  it('holds only what is to be another number', () => {
    expect(tidied(SECTIONS, { 's.a': 5, 's.b': 4, 'gone.x': 1 })).toEqual({ 's.b': 4 })
    expect(tidied(SECTIONS, JSON.parse('{"__proto__":1}') as Record<string, number>)).toEqual({})
  })

  it('can be made of what was replayed', () => {
    expect(draftOf(SECTIONS, { t: { a: 9 } })).toEqual({ 's.a': 1, 't.a': 9 })
    expect(draftOf(SECTIONS, { s: { a: 5 } })).toEqual({})
  })

  it('differs by numbers that are named', () => {
    expect(changesBetween(SECTIONS, { s: { a: 5 } }, { s: { a: 5, b: 7 } })).toEqual([
      { field: 's.b', section: 'First', label: 'B', unit: 'of 100', from: 2, to: 7 },
    ])
  })
})

it.each([
  ['', 'This has to be a number.'],
  ['x', 'This has to be a number.'],
  ['1e999', 'This has to be a number.'],
  ['-1', 'This has to be at least 0.'],
  ['100.5', 'This has to be at most 100.'],
  ['0', undefined],
  ['99.5', undefined],
])('of %j it is said what is wrong', (text, fault) => {
  expect(faultOf(text, { min: 0, max: 100 })).toBe(fault)
})
