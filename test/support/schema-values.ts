/** Generates random values that match a JSON schema, for the keywords that the contract uses. */
import * as fc from 'fast-check'
import type { Schema } from './document.ts'

type Options = {
  /** Generates every optional member with a value, so that each can be mutated. */
  whole?: boolean
}

const SHORT_TEXT_CHARS = 24
const LIST_ITEMS = 3
/** Wide enough for amounts, narrow enough for 32-bit columns. */
const NUMBER_LIMIT = 1_000_000

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  'date-time': fc
    .date({
      min: new Date('2020-01-01T00:00:00Z'),
      max: new Date('2030-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString()),
  uuid: fc.uuid(),
  uri: fc.webUrl(),
}

export function valuesOf(schema: Schema, options: Options = {}): fc.Arbitrary<unknown> {
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (alternatives) {
    const some = alternatives.filter(({ type }) => type !== 'null' || !options.whole)
    return fc.oneof(...some.map((one) => valuesOf(one, options)))
  }
  if ('const' in schema) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'] as unknown[]
    return fc.constantFrom(...values.filter((value) => value !== null || !options.whole))
  }
  const type = schema['type'] as string | string[] | undefined
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== 'null' || !options.whole)
    return fc.oneof(...types.map((one) => valuesOf({ ...schema, type: one }, options)))
  }
  switch (type) {
    case 'object':
      return objectsOf(schema, options)
    case 'array':
      return fc.array(valuesOf((schema['items'] ?? {}) as Schema, options), {
        minLength: Math.max(options.whole ? 1 : 0, numberIn(schema, 'minItems', 0)),
        maxLength: Math.min(LIST_ITEMS, numberIn(schema, 'maxItems', LIST_ITEMS)),
      })
    case 'string':
      return textsOf(schema)
    case 'integer':
      return fc.integer(rangeOf(schema))
    case 'number':
      return fc.double({
        ...rangeOf(schema),
        minExcluded: 'exclusiveMinimum' in schema,
        noNaN: true,
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case undefined:
    default:
      return ANYTHING
  }
}

/** Nested, because opaque members are mutated inside as well. */
const ANYTHING = fc.constantFrom<unknown>(
  { a: 'text', list: [1, { deep: { deeper: ['x', null, true] } }] },
  { b: {} },
)

function objectsOf(schema: Schema, options: Options): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  const names = Object.keys(properties)
  if (names.length === 0) {
    const rest = schema['additionalProperties']
    if (typeof rest !== 'object' || rest === null) return ANYTHING
    return fc.dictionary(fc.constantFrom('one', 'two'), valuesOf(rest as Schema, options), {
      minKeys: options.whole ? 1 : 0,
    })
  }
  const model = Object.fromEntries(
    names.map((name) => [name, valuesOf(properties[name] ?? {}, options)]),
  )
  const required = options.whole ? names : ((schema['required'] ?? []) as string[])
  return fc.record(model, { requiredKeys: required, noNullPrototype: true })
}

function textsOf(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern } = schema
  const known = typeof format === 'string' ? FORMATS[format] : undefined
  if (known) return known
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern))
  const texts = fc.string({
    minLength: numberIn(schema, 'minLength', 0),
    maxLength: Math.min(
      numberIn(schema, 'maxLength', SHORT_TEXT_CHARS),
      numberIn(schema, 'minLength', 0) + SHORT_TEXT_CHARS,
    ),
    // Any Unicode character; lengths are counted in characters, as in a schema.
    unit: 'binary',
  })
  // NUL is the only character that PostgreSQL cannot store.
  return texts.map((text) => text.replaceAll('\0', '0'))
}

function rangeOf(schema: Schema): { min: number; max: number } {
  const least = numberIn(schema, 'minimum', -NUMBER_LIMIT)
  const min = numberIn(schema, 'exclusiveMinimum', least)
  const max = numberIn(schema, 'maximum', NUMBER_LIMIT)
  return { min, max: Math.max(min, max) }
}

const numberIn = (schema: Schema, keyword: string, fallback: number): number =>
  typeof schema[keyword] === 'number' ? schema[keyword] : fallback
