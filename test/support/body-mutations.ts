/**
 * Mutates each member of a valid JSON body: to values that the schema forbids, to values that no JSON
 * body may contain, and to unusual values that the schema allows. Each mutation knows which field the
 * error must name.
 */
import type { ValidateFunction } from 'ajv'
import type { Schema } from './document.ts'
import { memberGroups, memberRestrictions, validatorOf } from './schema-rules.ts'

export type BodyMutation = {
  /** Describes the mutation when a test fails. */
  name: string
  text: string
  /**
   * `wrong` values violate the schema, `deep` ones are nested too deeply, and `unstorable` ones are
   * only refused by the strict JSON parser. `odd` values are allowed.
   */
  kind: 'wrong' | 'deep' | 'unstorable' | 'odd'
  namesField: (field: string) => boolean
}

type Path = readonly (string | number)[]

/** A member of the body with its schema; undefined for members without one. */
type Place = {
  path: Path
  schema: Schema | undefined
  value: unknown
  union: Path | undefined
  /** The member and others of which one is required: the error may name any of them. */
  group: readonly string[]
  /** Such groups among the members of the value. */
  groups: readonly (readonly string[])[]
}

const MARK = '@@mutated@@'
const NESTING = 64
/** Longer texts exceed the size limit of a body, which is another fault. */
const TEXT_MAX = 100_000
const PLACES_MAX = 40

export type MutateBody = (body: unknown) => BodyMutation[]
/** Computes a mutation on demand, because the body of a policy has thousands. */
type Mutation = () => BodyMutation

/** All mutations of a body that matches the schema. */
export function createBodyMutations(schema: Schema): MutateBody {
  const mutationsOf = createMutations(schema)
  return (body) => mutationsOf(body).map((mutate) => mutate())
}

/** Compiles the schema once; the result accepts any body that matches it. */
export function createMutations(schema: Schema): (body: unknown) => Mutation[] {
  const isValid = validatorOf(schema)
  const fits: Fits = (alternative, value) => validatorOf(alternative)(value)
  return (body) => {
    const root = { path: [], schema, value: body, union: undefined, group: [] }
    const places = spread([...placesIn(fits, root)])
    return [
      ...places.flatMap((place) => otherValues(place, body, isValid)),
      ...places.flatMap((place) => missingMembers(place, body, isValid)),
      ...places.flatMap((place) => unstorable(place, body)),
      ...places.flatMap((place) => unstorableMembers(place, body)),
    ]
  }
}

/** Evenly spaced places of a large body, such as a policy with all members. */
function spread(places: Place[]): Place[] {
  const step = Math.max(1, places.length / PLACES_MAX)
  return places.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step))
}

type Fits = (alternative: Schema, value: unknown) => boolean

function* placesIn(fits: Fits, place: Omit<Place, 'groups'>): Generator<Place> {
  const { path, schema, value, union } = place
  const alternatives = (schema?.['anyOf'] ?? schema?.['oneOf']) as Schema[] | undefined
  const known = alternatives ? alternatives.find((one) => fits(one, value)) : schema
  // The discriminator decides which alternative applies, so the error names the member of that one.
  const isDecided = schema?.['discriminator'] !== undefined
  const within = alternatives && !isDecided ? path : union
  const groups = known ? dependentMembers(known) : []
  yield { ...place, groups }
  const properties = known?.['properties'] as Record<string, Schema> | undefined
  const items = known?.['items'] as Schema | undefined
  if (Array.isArray(value)) {
    for (const [index, item] of (value as unknown[]).entries()) {
      const element = { path: [...path, index], schema: items, value: item }
      yield* placesIn(fits, { ...element, union: within, group: [] })
    }
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      const member = { path: [...path, name], schema: properties?.[name], value: item }
      const group = groupOf(groups, name)
      yield* placesIn(fits, { ...member, union: within, group })
    }
  }
}

/** Members of which any can be named when one of them is wrong. */
const dependentMembers = (schema: Schema): string[][] => [
  ...memberGroups(schema).map(({ names }) => names),
  ...memberRestrictions(schema).map((alternatives) =>
    alternatives.flatMap(({ members }) => Object.keys(members)),
  ),
]

const groupOf = (groups: Place['groups'], name: string): readonly string[] =>
  groups.find((names) => names.includes(name)) ?? []

/** Values of other types, lengths, ranges and formats. */
function otherValues(
  { path, schema, union, group }: Place,
  body: unknown,
  isValid: ValidateFunction,
): Mutation[] {
  if (schema === undefined) return []
  const candidates: unknown[] = [
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    -1e308,
    'text',
    '',
    'NaN',
    'Infinity',
    '1e5',
    '0',
    'true',
    'null',
    '\n',
    [],
    [[]],
    [null],
    {},
    { a: 1 },
    ...lengthsAndRanges(schema),
  ]
  return candidates.map((value) => () => {
    const mutated = replaceAt(body, path, value)
    return {
      name: `${show(path)} = ${JSON.stringify(value).slice(0, 40)}`,
      text: JSON.stringify(mutated),
      kind: isValid(mutated) ? 'odd' : 'wrong',
      namesField: either(blames(path, union, value), path, group),
    }
  })
}

function lengthsAndRanges(schema: Schema): unknown[] {
  const { maxLength, minimum, maximum, maxItems, exclusiveMinimum, exclusiveMaximum } =
    schema as Record<string, number | undefined>
  const alternatives = (schema['anyOf'] ?? schema['oneOf'] ?? []) as Schema[]
  const values: unknown[] = alternatives.flatMap(lengthsAndRanges)
  if (maxLength !== undefined && maxLength < TEXT_MAX) {
    values.push('x'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1))
  }
  if (minimum !== undefined) values.push(minimum - 1, minimum - 1e-6)
  if (exclusiveMinimum !== undefined) values.push(exclusiveMinimum, exclusiveMinimum + 1e-6)
  if (schema['format'] === 'uri') values.push('https://xn--bcher-kva.example:8443/a?b=%C3%BC#c')
  if (exclusiveMaximum !== undefined) values.push(exclusiveMaximum)
  if (maximum !== undefined) values.push(maximum + 1, maximum + 1e-6)
  if (maxItems !== undefined) values.push(Array.from({ length: maxItems + 1 }, () => ({})))
  return values
}

function missingMembers(
  { path, value, union, groups }: Place,
  body: unknown,
  isValid: ValidateFunction,
): Mutation[] {
  return membersOf(value).map((name) => () => {
    const mutated = removeAt(body, path, name)
    const member = [...path, name]
    return {
      name: `${show(member)} is missing`,
      text: JSON.stringify(mutated),
      kind: isValid(mutated) ? 'odd' : 'wrong',
      namesField: either(union ? startsWith(union) : equals(member), member, groupOf(groups, name)),
    }
  })
}

/** Values that are refused before the schema is validated. */
function unstorable({ path }: Place, body: unknown): Mutation[] {
  const values: [name: string, raw: string, kind: BodyMutation['kind']][] = [
    ['a number beyond a double', '1e400', 'unstorable'],
    ['a negative number beyond a double', '-1e400', 'unstorable'],
    ['NUL', String.raw`"a\u0000b"`, 'unstorable'],
    ['half of a surrogate pair', String.raw`"a\ud800b"`, 'unstorable'],
    ['the other half', String.raw`"\udc00"`, 'unstorable'],
    ['too many lists', '['.repeat(NESTING) + ']'.repeat(NESTING), 'deep'],
    ['too many objects', '{"n":'.repeat(NESTING) + '1' + '}'.repeat(NESTING), 'deep'],
  ]
  return values.map(([name, raw, kind]) => () => ({
    name: `${show(path)} = ${name}`,
    text: JSON.stringify(replaceAt(body, path, MARK)).replace(`"${MARK}"`, () => raw),
    kind,
    namesField: kind === 'deep' ? startsWith(path) : equals(path),
  }))
}

function unstorableMembers({ path, value }: Place, body: unknown): Mutation[] {
  if (!isObject(value)) return []
  const withMember = (raw: string) =>
    JSON.stringify(replaceAt(body, path, { ...value, [MARK]: 0 })).replace(`"${MARK}":0`, () => raw)
  const members: [name: string, raw: string, member: string][] = [
    ['__proto__', '"__proto__":{"a":1}', '__proto__'],
    ['__proto__ spelled otherwise', String.raw`"\u005f_proto__":1`, '__proto__'],
    ['a key with NUL', String.raw`"k\u0000":1`, 'k'],
    ['a key with half of a surrogate pair', String.raw`"k\ud800":1`, 'k\ufffd'],
    ...membersOf(value).map((name): [string, string, string] => [
      `${name} twice`,
      `${JSON.stringify(name)}:1`,
      name,
    ]),
  ]
  return members.map(([name, raw, member]) => () => ({
    name: `${show(path)} with ${name}`,
    text: withMember(raw),
    kind: 'unstorable',
    namesField: equals([...path, member]),
  }))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const membersOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : [])

function replaceAt(body: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(body)) {
    return body.map((item: unknown, index) =>
      index === step ? replaceAt(item, rest, value) : item,
    )
  }
  const object = body as Record<string, unknown>
  return { ...object, [step]: replaceAt(object[step], rest, value) }
}

function removeAt(body: unknown, path: Path, name: string): unknown {
  const object = path.reduce<unknown>(
    (value, step) => (value as Record<string, unknown>)[step],
    body,
  )
  const { [name]: _, ...rest } = object as Record<string, unknown>
  return replaceAt(body, path, rest)
}

/**
 * The fields that an error may name. With several alternatives, it may refer to any of them; for an
 * unexpected object, it may name one of its missing members.
 */
function blames(path: Path, union: Path | undefined, value: unknown) {
  if (union) return startsWith(union)
  return typeof value === 'object' && value !== null ? startsWith(path) : equals(path)
}

const either =
  (names: (field: string) => boolean, path: Path, group: readonly string[]) => (field: string) =>
    names(field) || group.some((name) => equals([...path.slice(0, -1), name])(field))

const show = (path: Path): string => (path.length === 0 ? 'body' : path.join('.'))
const equals = (path: Path) => (field: string) => field === show(path)
const startsWith = (path: Path) => (field: string) =>
  path.length === 0 || field === path.join('.') || field.startsWith(`${path.join('.')}.`)
