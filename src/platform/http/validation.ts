/**
 * Schema validation: a number is not a string. In query and path, where everything arrives as text,
 * numbers and true/false are read first. The first fault becomes a 400 that names the
 * field.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { isUuid } from '../ids.ts'
import { type AppError, invalidRequest } from './errors.ts'

/** Words that documents carry for readers and that mean nothing to a validator. */
const ANNOTATIONS = ['x-open-point', 'x-secret', 'example']

export type Validators = {
  compiler: FastifySchemaCompiler<TSchema>
  /** Compiled once at boot; for the elements of a batch that may fail one by one. */
  compileBody: (schema: TSchema) => ValidateFunction
}

export function createValidators(): Validators {
  const ajv = createAjv()
  return {
    compiler: ({ schema, httpPart }) => {
      const validate = ajv.compile(schema)
      return (given: unknown) => {
        const value = httpPart === 'body' ? given : readTexts(schema, given)
        if (validate(value)) return { value }
        return { error: faultOf(validate.errors, httpPart ?? 'body') }
      }
    },
    compileBody: (schema) => ajv.compile(schema),
  }
}

type Described = { type?: unknown; properties?: Record<string, Described>; items?: Described }

/**
 * The validator's own coercion is not used: it takes `Infinity`, `0x10` and a blank for numbers, and
 * an infinite one passes every maximum.
 */
function readTexts(schema: Described, given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      readText(schema.properties?.[name], value),
    ]),
  )
}

/** As in JSON. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

function readText(schema: Described | undefined, value: unknown): unknown {
  if (schema?.type === 'array') {
    return (Array.isArray(value) ? value : [value]).map((item) => readText(schema.items, item))
  }
  if (typeof value !== 'string') return value
  switch (schema?.type) {
    case 'integer':
    case 'number':
      return NUMBER.test(value) && Number.isFinite(Number(value)) ? Number(value) : value
    case 'boolean':
      return value === 'true' || (value === 'false' ? false : value)
    default:
      return value
  }
}

/** The first error of a validator as the 400 that is answered. */
export function faultOf(errors: ErrorObject[] | null | undefined, part = 'body'): AppError {
  const error = errors?.[0]
  if (!error) return invalidRequest(part, `${part} is invalid`)
  const field = fieldOf(error) || (part === 'querystring' ? 'query' : part)
  return invalidRequest(field, `${field} ${messageOf(error)}`)
}

function createAjv(): Ajv {
  const ajv = new Ajv({
    useDefaults: true,
    allErrors: false,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    // One AJV serves all routes; the same named schema comes by more than once.
    addUsedSchema: false,
  })
  addFormats.default(ajv, ['date-time', 'uri'])
  // Its own takes `urn:uuid:…` too, which PostgreSQL does not.
  ajv.addFormat('uuid', isUuid)
  for (const keyword of ANNOTATIONS) ajv.addKeyword(keyword)
  return ajv
}

/** `/items/3` and the missing `quantity` give `items.3.quantity`. */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const segments = instancePath
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') segments.push(String(params['missingProperty']))
  return segments.join('.')
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required'
  if (keyword === 'enum') {
    return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`
  }
  if (keyword === 'pattern' || keyword === 'format') return 'has the wrong format'
  return (message ?? 'is invalid').replace('must NOT', 'must not')
}
