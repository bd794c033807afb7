/**
 * Null in an optional member has the same effect as leaving the member out, because many serializers
 * write it for what they leave out (OP-141). So has an empty text where the schema says so. Validators
 * remove such members, and the API document allows null for them.
 */
export type Described = {
  type?: unknown
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Described>
  required?: readonly string[]
  items?: Described
  anyOf?: Described[]
  /** An empty text leaves the member out. */
  'x-empty-is-absent'?: boolean
}

/**
 * Changes the value itself. Null remains where the schema allows it, and in required members.
 * @returns whether anything was removed
 */
export function removeAbsentMembers(schema: Described, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  let removed = false
  const search = (described: Described | undefined, part: unknown): void => {
    if (described && removeAbsentMembers(described, part)) removed = true
  }
  for (const alternative of schema.anyOf ?? []) search(alternative, value)
  if (Array.isArray(value)) {
    for (const item of value) search(schema.items, item)
    return removed
  }
  const members = value as Record<string, unknown>
  for (const [name, described] of Object.entries(schema.properties ?? {})) {
    const member = members[name]
    if (schema.required?.includes(name) !== true && isAbsent(described, member)) {
      delete members[name]
      removed = true
    } else search(described, member)
  }
  return removed
}

function isAbsent(schema: Described, member: unknown): boolean {
  if (member === null) return !allowsNull(schema)
  return member === '' && schema['x-empty-is-absent'] === true
}

/** The schema of a request as its sender sees it, for the API document. */
export function withAbsentMembers(schema: Described): Described {
  const { properties, required = [], items, anyOf } = schema
  return {
    ...schema,
    ...(items && { items: withAbsentMembers(items) }),
    ...(anyOf && { anyOf: anyOf.map(withAbsentMembers) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => {
          const described = withAbsentMembers(member)
          return [name, required.includes(name) ? described : optional(described)]
        }),
      ),
    }),
  }
}

function optional(schema: Described): Described {
  const nullable = allowsNull(schema) ? schema : withNull(schema)
  if (schema['x-empty-is-absent'] !== true) return nullable
  return { ...nullable, minLength: 0 } as Described
}

function withNull(schema: Described): Described {
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  // A named schema is shown as a reference, to which nothing can be added.
  if ('$id' in schema) return { anyOf: [schema, { type: 'null' }] }
  const { const: only, enum: values = only === undefined ? undefined : [only], ...rest } = schema
  return { ...rest, type: [schema.type, 'null'].flat(), ...(values && { enum: [...values, null] }) }
}

function allowsNull({ type, enum: values, const: only, anyOf }: Described): boolean {
  if (values) return values.includes(null)
  if (only !== undefined) return only === null
  if (anyOf) return anyOf.some(allowsNull)
  return type === undefined || [type].flat().includes('null')
}
