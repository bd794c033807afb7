/** Reads the served OpenAPI document: one entry per operation, with references resolved. */
import type { App } from '../../src/platform/http/app.ts'

export type Schema = { [keyword: string]: unknown }

export type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  schema: Schema
  example?: unknown
}

/** Rules for a body in addition to its schema. */
export type BodyRules = {
  /** Accepted content types of the JSON body, with application/json first. */
  types: string[]
  takes_gzip: boolean
  max_bytes: number
  /** Elements are validated one by one. */
  is_lenient: boolean
}

export type Operation = {
  /** `POST /check`, as in the specification's table of operations. */
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with `{name}` segments. */
  path: string
  operation_id: string
  security: Record<string, string[]>[]
  tags: string[]
  open_point: string
  parameters: Parameter[]
  body: Schema | undefined
  body_rules: BodyRules
  responses: Record<string, Schema>
}

export type OpenApiDocument = {
  openapi: string
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, RawOperation>>
  components: { securitySchemes: Record<string, Schema>; schemas: Record<string, Schema> }
}

type RawOperation = {
  operationId: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Schema>
  tags: string[]
  servers?: { url: string }[]
  'x-open-point'?: string
  'x-body'?: { max_bytes: number; is_lenient?: boolean }
}

export const readDocument = (app: App): OpenApiDocument =>
  app.swagger() as unknown as OpenApiDocument

export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const upper = method.toUpperCase() as Operation['method']
      const body = operation.requestBody?.content['application/json']?.schema
      return {
        name: `${upper} ${path}`,
        method: upper,
        // Operations for apps are outside of /v1, and name their server themselves.
        path: path.startsWith('/sdk/') ? path : `/v1${path}`,
        operation_id: operation.operationId,
        security: operation.security,
        tags: operation.tags,
        open_point: operation['x-open-point'] ?? '',
        parameters: operation.parameters ?? [],
        body: body && (withoutReferences(document, body) as Schema),
        body_rules: rulesOf(operation),
        responses: operation.responses,
      }
    }),
  )
}

function rulesOf({ parameters = [], requestBody, ...operation }: RawOperation): BodyRules {
  const { max_bytes = 0, is_lenient = false } = operation['x-body'] ?? {}
  const encodings = parameters.find(({ name }) => name === 'Content-Encoding')?.schema['enum']
  return {
    types: Object.keys(requestBody?.content ?? {}),
    takes_gzip: Array.isArray(encodings) && encodings.includes('gzip'),
    max_bytes,
    is_lenient,
  }
}

const RECURSION_MAX = 2

/**
 * Replaces every reference by its target. One component refers to itself, to say the same about inner
 * values; after some levels, anything is allowed.
 */
export function withoutReferences(
  document: Pick<OpenApiDocument, 'components'>,
  value: unknown,
  within: readonly string[] = [],
): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutReferences(document, item, within))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as Schema
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/components/schemas/', '')
    const target = document.components.schemas[name]
    if (!target) throw new Error(`${$ref} refers to nothing`)
    const depth = within.filter((outer) => outer === name).length
    return depth > RECURSION_MAX ? {} : withoutReferences(document, target, [...within, name])
  }
  return Object.fromEntries(
    Object.entries(rest).map(([key, item]) => [key, withoutReferences(document, item, within)]),
  )
}
