/** Writes the types and the operations of the TypeScript client, in the formatting of this repository. */
import type { Document, Member, NamedType, Operation, Type } from './document.ts'

const HEADER = '// Generated from docs/openapi.json by `npm run sdk`. Do not edit.\n'

/** @returns text of sdk/server-ts/src/generated/types.ts */
export const typescriptTypes = ({ types }: Document): string =>
  `${HEADER}/** The records and requests of the API, by the names of the OpenAPI document. */\n${types
    .map(declaration)
    .join('')}`

/** @returns text of sdk/server-ts/src/generated/operations.ts */
export function typescriptOperations(document: Document): string {
  const { operations, batches, version } = document
  const methods = operations.map(method).join('\n')
  const names = document.types
    .map(({ name }) => name)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(methods))
    .toSorted()
  const table = operations.map(
    (operation) => `  ${operation.id}: ${JSON.stringify(rowOf(operation))},`,
  )
  const maxima = batches.map(({ operation, max_items }) => {
    const max_bytes = operations.find(({ id }) => id === operation)?.body_max_bytes
    return `  ${operation}: ${JSON.stringify({ max_items, max_bytes })},`
  })
  return `${HEADER}import type { CallOptions, PushOptions } from '../options.ts'
import type { ${names.join(', ')} } from './types.ts'

/** Version of the OpenAPI document. */
export const API_VERSION = '${version}'

/** How each operation is sent, and when it may be sent again. */
export const OPERATIONS = {
${table.join('\n')}
} as const

/** Size of a request of the operations that take a list. */
export const BATCHES = {
${maxima.join('\n')}
} as const

/** The operations of the API. Each returns the \`content\` of the response, or throws a \`VigilError\`. */
export type Operations = {
${methods}
}
`
}

/** Members without a value are left out, because most operations have few. */
function rowOf(operation: Operation): Record<string, unknown> {
  const { retry, query_members, page_member, has_idempotency_key, content } = operation
  const keyed = retry.repeat === 'keyed' && {
    key: { member: retry.member, list: retry.list, is_filled: retry.is_filled },
  }
  return {
    method: operation.method,
    path: operation.path,
    credential: operation.credential,
    repeat: retry.repeat,
    ...keyed,
    ...(query_members.length > 0 && { query: query_members.map(({ name }) => name) }),
    ...(operation.body !== undefined && { has_body: true }),
    ...(page_member !== undefined && { records: page_member }),
    ...(has_idempotency_key && { has_idempotency_key: true }),
    ...(!content && { is_file: true }),
  }
}

function method(operation: Operation): string {
  const { id, summary, path_members, query_members, body, content, retry } = operation
  const params = [...path_members, ...query_members]
  const options = operation.has_idempotency_key ? 'PushOptions' : 'CallOptions'
  const args = [
    ...(params.length > 0 ? [`params: ${object(params, '  ')}`] : []),
    ...(body === undefined ? [] : [`body: ${body}`]),
    `options?: ${options}`,
  ]
  const result = content ? text(content, '  ') : 'ReadableStream<Uint8Array>'
  const repetition = `Sent again after a failure: ${retry.repeat === 'never' ? 'no, because' : 'yes, because'} ${retry.reason}`
  return `  /**\n   * ${summary}.\n   *\n   * ${repetition}\n   */\n  ${id}(${args.join(', ')}): Promise<${result}>`
}

const declaration = ({ name, type, description }: NamedType): string =>
  `\n${comment(description, '')}export type ${name} = ${text(type, '')}\n`

function text(type: Type, indent: string): string {
  switch (type.kind) {
    case 'scalar':
      return type.name === 'integer' ? 'number' : type.name
    case 'literal':
      return typeof type.value === 'string' ? `'${type.value}'` : String(type.value)
    case 'ref':
      return type.name
    case 'list': {
      const item = text(type.item, indent)
      return type.item.kind === 'union' ? `(${item})[]` : `${item}[]`
    }
    case 'map':
      return `{ [name: string]: ${text(type.value, indent)} }`
    case 'object':
      return object(type.members, indent)
    case 'union':
      return [...new Set(type.types.map((each) => text(each, indent)))].join(' | ')
  }
}

/** Optional members accept `undefined`, which JSON leaves out. */
function object(members: readonly Member[], indent: string): string {
  if (members.length === 0) return 'Record<string, never>'
  const inner = `${indent}  `
  const lines = members.map(({ name, is_required, type, description }) => {
    const value = text(type, inner)
    const member = is_required ? `${name}: ${value}` : `${name}?: ${value} | undefined`
    return `${comment(description, inner)}${inner}${member}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

const comment = (description: string, indent: string): string =>
  description === '' ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`
