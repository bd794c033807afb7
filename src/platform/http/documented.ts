/**
 * Rules of requests that the API document states in addition to the schemas that validate them. The code
 * checks them itself, because its sentence about a fault is plainer than that of a validator.
 */
type Json = Record<string, unknown>

/** Returns keywords that replace those of a schema in the document; undefined removes one. */
const DOCUMENTED = 'x-documented'

/**
 * The options of a schema that is described with further keywords. A function hides them from the validator,
 * which would take the named schemas in them for its own.
 */
export const documented = (keywords: Json): Json => ({ [DOCUMENTED]: () => keywords })

/**
 * One alternative for each member: it is present, and not null, which is the same as leaving it out. For
 * `anyOf` (at least one of them) and `oneOf` (exactly one). They belong into `allOf`, because generators of
 * clients take alternatives next to `properties` for the whole type.
 */
export const givenMembers = (members: Record<string, Json>): Json[] =>
  Object.entries(members).map(([name, schema]) => ({
    required: [name],
    properties: { [name]: schema },
  }))

/** Applies what {@link documented} says, at any depth. */
export function withDocumented<T>(value: T): T
export function withDocumented(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withDocumented(item))
  if (typeof value !== 'object' || value === null) return value
  const { [DOCUMENTED]: keywords, ...rest } = value as Json & { [DOCUMENTED]?: () => Json }
  return Object.fromEntries(
    Object.entries({ ...rest, ...keywords?.() })
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, withDocumented(item)]),
  )
}

export const STORABLE_JSON = 'StorableJson'
/**
 * It leaves out unpaired surrogates: where patterns match UTF-16 units, as in .NET, a pattern that refuses
 * them would refuse every emoji.
 */
export const WITHOUT_NUL = String.raw`^[^\u0000]*$`

/**
 * The rules that every strict body has to satisfy in addition to its own schema. It is one component that refers to
 * itself, because a pattern at each text and each object would bury their own rules.
 *
 * @param reference refers to this component
 */
export function storableJson(reference: Json): Json {
  return {
    description:
      'JSON that can be stored: texts and names of members contain no NUL and no unpaired surrogates, and no member is named `__proto__`. This applies to unknown members too.',
    pattern: WITHOUT_NUL,
    propertyNames: { pattern: WITHOUT_NUL, not: { const: '__proto__' } },
    additionalProperties: reference,
    items: reference,
  }
}

/**
 * Adds the reference to the schema of a body, or of an element of a bulk request. It is the consequence of
 * a condition that always holds, because generators of clients would merge a reference in `allOf` into the
 * type.
 */
export const withStorable = <T extends object>(schema: T, reference: Json): T => ({
  ...schema,
  if: { type: 'object' },
  // oxlint-disable-next-line no-thenable -- a keyword of JSON Schema
  then: reference,
})
