/** The served OpenAPI document, as tests read it: one entry per operation, references resolved. */
import type { App } from '../../src/platform/http/app.ts'

export type Schema = { [keyword: string]: unknown }

export type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  schema: Schema
}

export type Operation = {
  /** `POST /check`, as the table of operations writes it. */
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path under the host, with `{name}` segments. */
  path: string
  operation_id: string
  security: Record<string, string[]>[]
  open_point: string
  parameters: Parameter[]
  body: Schema | undefined
  responses: Record<string, Schema>
}

export type OpenApiDocument = {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, RawOperation>>
  components: { securitySchemes: Record<string, Schema>; schemas: Record<string, Schema> }
}

type RawOperation = {
  operationId: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Schema>
  'x-open-point'?: string
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
        path: `/v1${path}`,
        operation_id: operation.operationId,
        security: operation.security,
        open_point: operation['x-open-point'] ?? '',
        parameters: operation.parameters ?? [],
        body: body && (withoutReferences(document, body) as Schema),
        responses: operation.responses,
      }
    }),
  )
}

/** Replaces every reference by what it refers to; the schemas of this service do not recurse. */
export function withoutReferences(document: OpenApiDocument, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutReferences(document, item))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as Schema
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/components/schemas/', '')
    const target = document.components.schemas[name]
    if (!target) throw new Error(`${$ref} refers to nothing`)
    return withoutReferences(document, target)
  }
  return Object.fromEntries(
    Object.entries(rest).map(([key, item]) => [key, withoutReferences(document, item)]),
  )
}
