/**
 * Reads the operations and schemas of docs/openapi.json for the generators of the server clients. What
 * only limits values, such as patterns and lengths, is left out: the service checks it and names the field.
 */
import { RETRIES, type Retry } from './retries.ts'

type Json = { readonly [name: string]: unknown }

/** A type without a name, in the terms that TypeScript and Python share. */
export type Type =
  | { kind: 'scalar'; name: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'unknown' }
  | { kind: 'literal'; value: string | boolean }
  | { kind: 'ref'; name: string }
  | { kind: 'list'; item: Type }
  | { kind: 'map'; value: Type }
  | { kind: 'object'; members: Member[] }
  | { kind: 'union'; types: Type[] }

export type Member = { name: string; is_required: boolean; type: Type; description: string }

export type Operation = {
  id: string
  summary: string
  method: string
  /** From the base URL, with the names of variables in braces. */
  path: string
  credential: 'api_key' | 'portal'
  path_members: Member[]
  query_members: Member[]
  /** Name of the schema of the body. */
  body: string | undefined
  body_max_bytes: number | undefined
  /** Undefined for a file, which has no envelope. */
  content: Type | undefined
  /** The member of `content` with the records of a page, empty if it is `content`; only where there are pages. */
  page_member: string | undefined
  has_idempotency_key: boolean
  retry: Retry
}

export type NamedType = { name: string; type: Type; description: string }

export type Document = {
  version: string
  operations: Operation[]
  types: NamedType[]
  /** Maximum number of elements of the lists that the helpers for batches split. */
  batches: { name: string; operation: string; member: string; max_items: number }[]
}

const BATCHES = [
  ['createChecks', 'BulkCheckRequest', 'checks'],
  ['createOrders', 'BulkOrderRequest', 'orders'],
  ['sendEdgeLogs', 'EdgeLogBatch', 'logs'],
] as const

/** A condition that other schemas refer to, and no type. */
const CONDITION = 'StorableJson'

/** @throws Error for an operation without a rule for retries, and for a rule without an operation */
export function readDocument(document: Json): Document {
  const schemas = at(document, 'components', 'schemas')
  const operations = Object.entries(at(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(methods as Json)
      // Operations for apps are not under the base URL of a server client.
      .filter(([, operation]) => (operation as Json)['servers'] === undefined)
      .map(([method, operation]) => operationOf(path, method, operation as Json, schemas)),
  )
  const ids = new Set(operations.map(({ id }) => id))
  const unknown = Object.keys(RETRIES).filter((id) => !ids.has(id))
  if (unknown.length > 0) throw new Error(`No such operations: ${unknown.join(', ')}`)
  return {
    version: String(at(document, 'info')['version']),
    operations,
    types: Object.entries(schemas)
      .filter(([name]) => name !== CONDITION)
      .map(([name, schema]) => ({
        name,
        type: typeOf(schema as Json),
        description: textOf(schema as Json),
      })),
    batches: BATCHES.map(([operation, name, member]) => ({
      name,
      operation,
      member,
      max_items: Number(at(schemas, name, 'properties', member)['maxItems']),
    })),
  }
}

function operationOf(path: string, method: string, operation: Json, schemas: Json): Operation {
  const id = String(operation['operationId'])
  const parameters = (operation['parameters'] ?? []) as Json[]
  const inPlace = (place: string): Member[] =>
    parameters.filter((parameter) => parameter['in'] === place).map(parameterOf)
  const query_members = inPlace('query')
  const success = at(operation, 'responses', '200', 'content')['application/json'] as
    | Json
    | undefined
  const content = success && typeOf(at(success, 'schema', 'properties', 'content'))
  const hasPages = query_members.some(({ name }) => name === 'page')
  const retry = RETRIES[id]
  if (!retry) throw new Error(`${id} has no rule in scripts/sdk/retries.ts`)
  return {
    id,
    summary: String(operation['summary']),
    method: method.toUpperCase(),
    path,
    credential: 'portal' in ((operation['security'] as Json[])[0] ?? {}) ? 'portal' : 'api_key',
    path_members: inPlace('path'),
    query_members,
    body: bodyOf(operation),
    body_max_bytes: (operation['x-body'] as { max_bytes: number } | undefined)?.max_bytes,
    content,
    page_member: hasPages && content ? pageMember(content, schemas) : undefined,
    has_idempotency_key: inPlace('header').some(({ name }) => name === 'Idempotency-Key'),
    retry,
  }
}

function bodyOf(operation: Json): string | undefined {
  if (operation['requestBody'] === undefined) return undefined
  const schema = at(operation, 'requestBody', 'content', 'application/json', 'schema')
  return refName(schema)
}

/** The records are the first list of a page. The others, such as suggestions, are about the query. */
function pageMember(content: Type, schemas: Json): string {
  if (content.kind === 'list') return ''
  const page = content.kind === 'ref' ? typeOf(at(schemas, content.name)) : content
  const members = page.kind === 'object' ? page.members : []
  const records = members.find(({ type }) => type.kind === 'list')
  if (!records) throw new Error(`A page without records: ${JSON.stringify(content)}`)
  return records.name
}

const parameterOf = (parameter: Json): Member => ({
  name: String(parameter['name']),
  is_required: parameter['required'] === true,
  type: typeOf(parameter['schema'] as Json),
  description: textOf(parameter),
})

function typeOf(schema: Json): Type {
  if ('$ref' in schema) return { kind: 'ref', name: refName(schema) }
  if ('const' in schema) return literal(schema['const'])
  if ('enum' in schema) return union((schema['enum'] as unknown[]).map(literal))
  const choice = schema['anyOf'] ?? schema['oneOf']
  // Next to members, a choice only says which of them are required together.
  if (Array.isArray(choice) && !('properties' in schema)) {
    return union((choice as Json[]).map(typeOf))
  }
  const { type } = schema
  if (Array.isArray(type)) return union(type.map((each) => plainType(String(each), schema)))
  return plainType(typeof type === 'string' ? type : 'unknown', schema)
}

function plainType(type: string, schema: Json): Type {
  if (type === 'array') return { kind: 'list', item: typeOf((schema['items'] ?? {}) as Json) }
  if (type === 'object') return objectType(schema)
  const NAMES = ['string', 'integer', 'number', 'boolean', 'null'] as const
  return { kind: 'scalar', name: NAMES.find((name) => name === type) ?? 'unknown' }
}

function objectType(schema: Json): Type {
  const properties = schema['properties'] as Json | undefined
  const others = schema['additionalProperties']
  if (!properties) {
    const isTyped = typeof others === 'object' && others !== null
    return { kind: 'map', value: isTyped ? typeOf(others as Json) : UNKNOWN }
  }
  const required = (schema['required'] ?? []) as string[]
  const members = Object.entries(properties).map(([name, member]) => ({
    name,
    is_required: required.includes(name),
    type: typeOf(member as Json),
    description: textOf(member as Json),
  }))
  return { kind: 'object', members }
}

const UNKNOWN: Type = { kind: 'scalar', name: 'unknown' }

const literal = (value: unknown): Type =>
  value === null
    ? { kind: 'scalar', name: 'null' }
    : { kind: 'literal', value: value as string | boolean }

/** Each type once, in the order in which they appear first. */
function union(types: readonly Type[]): Type {
  const flat = types.flatMap((type) => (type.kind === 'union' ? type.types : [type]))
  const distinct = new Map(flat.map((type) => [JSON.stringify(type), type]))
  const [only, ...more] = distinct.values()
  if (!only) return UNKNOWN
  return more.length === 0 ? only : { kind: 'union', types: [only, ...more] }
}

const refName = (schema: Json): string => String(schema['$ref']).split('/').at(-1) ?? ''

const textOf = (schema: Json): string =>
  typeof schema['description'] === 'string' ? schema['description'] : ''

function at(value: Json, ...path: string[]): Json {
  return path.reduce((object, name) => (object[name] ?? {}) as Json, value)
}
