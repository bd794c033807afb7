/** Generates random values that match a JSON schema, for the keywords that the contract uses. */
import * as fc from 'fast-check'
import { HAS_WORD } from '../../src/modules/edge/logs/query/parse.ts'
import { WITHOUT_NUL } from '../../src/platform/http/documented.ts'
import { anyCharacter } from './any-character.ts'
import type { Schema } from './document.ts'
import { memberGroups, memberRestrictions, validatorOf } from './schema-rules.ts'

type Options = {
  /** Generates every optional member with a value, so that each can be mutated. */
  whole?: boolean
}

const SHORT_TEXT_CHARS = 24
const LIST_ITEMS = 3
const REJECTIONS_MAX = 1000
/** Wide enough for amounts, narrow enough for 32-bit columns. */
const NUMBER_LIMIT = 1_000_000

/** `fc.webUrl` is not used, because it builds a table of all characters, which takes seconds in every worker. */
const FORMATS: Record<string, fc.Arbitrary<string>> = {
  'date-time': fc
    .date({
      min: new Date('2020-01-01T00:00:00Z'),
      max: new Date('2030-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString()),
  date: fc
    .integer({ min: 18_262, max: 21_914 })
    .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10)),
  uuid: fc.uuid(),
  uri: fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.domain(),
      fc.array(fc.constantFrom(...'/azAZ09-._~'.split(''), '%20', '%C3%A9'), { maxLength: 12 }),
    )
    .map(([scheme, host, path]) => `${scheme}://${host}/${path.join('')}`),
}

/** Arbitraries by their schema, because building those of texts takes longer than their use. */
const built = { whole: new WeakMap<Schema, Values>(), partial: new WeakMap<Schema, Values>() }
type Values = fc.Arbitrary<unknown>

export function valuesOf(schema: Schema, options: Options = {}): Values {
  const known = built[options.whole ? 'whole' : 'partial']
  const found = known.get(schema)
  if (found) return found
  const values = plainValuesOf(schema, options)
  // Rules that no generator follows by itself leave few values out.
  const isRuled = RULES.some((keyword) => keyword in schema)
  const valid = isRuled ? values.filter(isValidBy(schema)) : values
  known.set(schema, valid)
  return valid
}

const RULES = ['allOf', 'not', 'oneOf', 'propertyNames']

/** @throws Error when too many values in a row are invalid, because a filter would try forever */
function isValidBy(schema: Schema): (value: unknown) => boolean {
  let validate: ((value: unknown) => boolean) | undefined
  let rejections = 0
  return (value) => {
    validate ??= validatorOf(schema)
    const isValid = validate(value)
    rejections = isValid ? 0 : rejections + 1
    if (rejections > REJECTIONS_MAX) {
      throw new Error(`No valid value was generated for the schema ${JSON.stringify(schema)}`)
    }
    return isValid
  }
}

function plainValuesOf(schema: Schema, options: Options): fc.Arbitrary<unknown> {
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
    return fc.oneof(...types.map((one) => plainValuesOf({ ...schema, type: one }, options)))
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
        maxExcluded: 'exclusiveMaximum' in schema,
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
    if (rest === false) return fc.constant({})
    if (typeof rest !== 'object' || rest === null) return ANYTHING
    return fc.dictionary(fc.constantFrom('one', 'two'), valuesOf(rest as Schema, options), {
      minKeys: options.whole ? 1 : 0,
    })
  }
  const required = (schema['required'] ?? []) as string[]
  const records = choicesOf(schema).map(({ given, absent, restricted }) => {
    const used = names.filter((name) => !absent.includes(name))
    const model = used.map((name): [string, fc.Arbitrary<unknown>] => {
      const member = restricted[name] ?? properties[name] ?? {}
      if (!given.includes(name)) return [name, valuesOf(member, options)]
      // A whole value of an alternative is neither null nor empty.
      return [name, valuesOf(member, { ...options, whole: true })]
    })
    const requiredKeys = options.whole ? used : [...new Set([...required, ...given])]
    return fc.record(Object.fromEntries(model), { requiredKeys, noNullPrototype: true })
  })
  return fc.oneof(...records)
}

type Choice = {
  given: readonly string[]
  absent: readonly string[]
  restricted: Record<string, Schema>
}

/**
 * All combinations of one present member of each group (of exclusive ones, the others are absent) and of
 * one alternative of each restriction.
 */
function choicesOf(schema: Schema): Choice[] {
  const present = memberGroups(schema).reduce<Choice[]>(
    (choices, { names, is_exclusive }) =>
      choices.flatMap(({ given, absent, restricted }) =>
        names.map((name) => ({
          given: [...given, name],
          absent: is_exclusive ? [...absent, ...names.filter((other) => other !== name)] : absent,
          restricted,
        })),
      ),
    [{ given: [], absent: [], restricted: {} }],
  )
  return memberRestrictions(schema).reduce<Choice[]>(
    (choices, alternatives) =>
      choices.flatMap((choice) =>
        alternatives.map(({ members, required }) => ({
          ...choice,
          given: [...choice.given, ...required],
          restricted: { ...choice.restricted, ...members },
        })),
      ),
    present,
  )
}

function textsOf(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern } = schema
  const known = typeof format === 'string' ? FORMATS[format] : undefined
  const expression = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined
  if (known) return expression ? known.filter((text) => expression.test(text)) : known
  if (expression && ![WITHOUT_NUL, HAS_WORD].includes(expression.source)) {
    return fc.stringMatching(new RegExp(expression.source))
  }
  const texts = fc.string({
    minLength: numberIn(schema, 'minLength', 0),
    maxLength: Math.min(
      numberIn(schema, 'maxLength', SHORT_TEXT_CHARS),
      numberIn(schema, 'minLength', 0) + SHORT_TEXT_CHARS,
    ),
    // Any Unicode character; lengths are counted in characters, as in a schema.
    unit: anyCharacter,
  })
  // NUL is the only character that PostgreSQL cannot store.
  const storable = texts.map((text) => text.replaceAll('\0', '0'))
  return expression ? storable.filter((text) => expression.test(text)) : storable
}

function rangeOf(schema: Schema): { min: number; max: number } {
  const least = numberIn(schema, 'minimum', -NUMBER_LIMIT)
  const min = numberIn(schema, 'exclusiveMinimum', least)
  const most = numberIn(schema, 'maximum', NUMBER_LIMIT)
  const max = numberIn(schema, 'exclusiveMaximum', most)
  return { min, max: Math.max(min, max) }
}

const numberIn = (schema: Schema, keyword: string, fallback: number): number =>
  typeof schema[keyword] === 'number' ? schema[keyword] : fallback
