import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { validatorOf } from '../../../test/support/schema-rules.ts'
import { type Described, withAbsentMembers } from './absent-members.ts'
import { choice, maybe, opaqueObject, optionalText } from './schemas.ts'
import { createValidators, faultOf } from './validation.ts'

const schema = Type.Object({
  name: Type.String(),
  note: Type.Optional(Type.String()),
  kind: Type.Optional(choice(['big', 'small'])),
  all: Type.Optional(Type.Boolean({ const: true })),
  count: Type.Optional(Type.Integer({ default: 7 })),
  label: optionalText({ maxLength: 5 }),
  cleared: maybe(Type.String()),
  either: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  data: Type.Optional(opaqueObject('Anything')),
  place: Type.Optional(
    Type.Object({ city: Type.Optional(Type.String()), country: Type.String() }, { $id: 'Place' }),
  ),
  view: maybe(Type.Object({ url: Type.Optional(Type.String()) })),
  items: Type.Optional(
    Type.Array(Type.Object({ id: Type.Integer(), tag: Type.Optional(Type.String()) })),
  ),
})

const read = (value: object): unknown => {
  const validate = createValidators().compileBody(schema)
  const copy: unknown = structuredClone(value)
  return validate(copy) ? copy : faultOf(validate.errors).body.content
}
const described = withAbsentMembers(schema as Described) as Record<string, unknown>

describe('null in an optional member', () => {
  it.each([
    [{ note: null }, {}],
    [{ kind: null, all: null, either: null, data: null }, {}],
    [{ place: null, items: null }, {}],
    [{ place: { city: null, country: 'DE' } }, { place: { country: 'DE' } }],
    [{ view: { url: null } }, { view: {} }],
    [{ items: [{ id: 1, tag: null }, { id: 2 }] }, { items: [{ id: 1 }, { id: 2 }] }],
  ])('leaves it out: %j', (members, expected) => {
    expect(read({ name: 'a', ...members })).toEqual({ name: 'a', count: 7, ...expected })
    expect(validatorOf(described)({ name: 'a', ...members })).toBe(true)
  })

  it('gets the default of the member', () => {
    expect(read({ name: 'a', count: null })).toEqual({ name: 'a', count: 7 })
  })

  it.each([
    [{ cleared: null }, 'where the schema allows it, also next to others', { note: null }],
    [{ other: null }, 'in members that the schema does not have', { note: null }],
    [{ data: { a: null } }, 'in opaque objects', { note: null }],
  ])('remains %j: %s', (members, _, removed) => {
    const expected = { name: 'a', count: 7, ...members }
    expect(read({ name: 'a', ...members })).toEqual(expected)
    expect(read({ name: 'a', ...members, ...removed })).toEqual(expected)
  })

  it.each([
    [{ name: null }, 'name'],
    [{ name: 'a', place: { country: null } }, 'place.country'],
    [{ name: 'a', items: [null] }, 'items.0'],
    [{ name: 'a', note: null, items: [{ id: null }] }, 'items.0.id'],
  ])('is still refused in required ones: %j', (value, field) => {
    expect(read(value)).toEqual({ field })
    expect(validatorOf(described)(value)).toBe(false)
  })
})

describe('an empty text', () => {
  it('leaves a member out where the schema says so', () => {
    expect(read({ name: '', note: '', label: '' })).toEqual({ name: '', note: '', count: 7 })
    expect(validatorOf(described)({ name: '', note: '', label: '' })).toBe(true)
  })
})

describe('the API document', () => {
  it('allows null in optional members and keeps what they mean', () => {
    expect(JSON.parse(JSON.stringify(described['properties']))).toMatchObject({
      name: { type: 'string' },
      note: { type: ['string', 'null'] },
      kind: { type: ['string', 'null'], enum: ['big', 'small', null] },
      all: { type: ['boolean', 'null'], enum: [true, null] },
      count: { type: ['integer', 'null'], default: 7 },
      label: { type: ['string', 'null'], minLength: 0, maxLength: 5 },
      cleared: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
      place: { anyOf: [{ type: 'object', $id: 'Place' }, { type: 'null' }] },
      items: {
        type: ['array', 'null'],
        items: { properties: { tag: { type: ['string', 'null'] } } },
      },
    })
  })
})
