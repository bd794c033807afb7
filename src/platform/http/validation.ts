/**
 * Schema validation without coercion in bodies. Numbers and booleans in the query and the path,
 * which arrive as text, are converted first. The first fault becomes a 400 that names the field.
 */
import { Ajv, type ErrorObject, str } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { isTime, TIME_WANTED } from '../date-time.ts'
import { isUuid } from '../ids.ts'
import { type Described, removeAbsentMembers } from './absent-members.ts'
import { type AppError, invalidRequest } from './errors.ts'

/**
 * Keywords that only document a schema; the validator ignores them. `x-wanted` completes "must be …"
 * in the message about a text that does not match the pattern.
 */
const ANNOTATIONS = [
  'x-open-point',
  'x-secret',
  'x-wanted',
  'x-empty-is-absent',
  'x-documented',
  'example',
]

/** Formats of texts, each with what completes "must be …". */
const FORMATS: Record<string, { isValid: (text: string) => boolean; wanted: string }> = {
  'date-time': { isValid: isTime, wanted: TIME_WANTED },
  uuid: { isValid: isUuid, wanted: 'a UUID, such as 0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07' },
}

/** Removes optional members that are null from the value, and returns whether the rest is valid. */
export type Validate = {
  (value: unknown): boolean
  errors?: ErrorObject[] | null
}

export type Validators = {
  compiler: FastifySchemaCompiler<TSchema>
  /** For elements of a bulk request, which are validated one by one; called once at startup. */
  compileBody: (schema: TSchema) => Validate
}

export type ValidatorOptions = {
  /** Verifies and compiles schemas immediately. */
  is_eager?: boolean
}

/**
 * Compiles a schema when it is first used, because compiling all of them would take a third of a start. A
 * test verifies and compiles those of all routes.
 */
export function createValidators({ is_eager = false }: ValidatorOptions = {}): Validators {
  const ajv = createAjv(is_eager)
  const compile = (schema: TSchema) => compileTolerant(ajv, schema, is_eager)
  return {
    compiler: ({ schema, httpPart }) => {
      const validate = compile(schema)
      return (input: unknown) => {
        const texts = httpPart === 'querystring' ? withoutEmpty(schema, input) : input
        const value = httpPart === 'body' ? input : readTexts(schema, texts)
        if (validate(value)) return { value }
        return { error: faultOf(validate.errors, httpPart ?? 'body') }
      }
    },
    compileBody: compile,
  }
}

/** The value is searched for absent members only when it is not valid, so valid ones cost nothing. */
function compileTolerant(ajv: Ajv, schema: TSchema, isEager: boolean): Validate {
  let compiled = isEager ? ajv.compile(schema) : undefined
  const validate: Validate = (value) => {
    compiled ??= ajv.compile(schema)
    const isValid = compiled
    const accepted = isValid(value) || (removeAbsentMembers(schema, value) && isValid(value))
    validate.errors = isValid.errors ?? null
    return accepted
  }
  return validate
}

/** An empty optional parameter is left out: forms send one for each field (OP-142). */
const withoutEmpty = ({ required = [] }: Described, query: unknown): unknown =>
  Object.fromEntries(
    Object.entries(query as object).filter(
      ([name, value]) => value !== '' || required.includes(name),
    ),
  )

/**
 * Ajv's own coercion accepts `Infinity`, `0x10` and a blank as numbers, and
 * `Infinity` as valid where there is no maximum.
 */
function readTexts(schema: Described, texts: unknown): unknown {
  if (typeof texts !== 'object' || texts === null) return texts
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      readText(schema.properties?.[name], value),
    ]),
  )
}

const INTEGER = /^-?(0|[1-9]\d*)$/
/** The number format of JSON. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

function readText(schema: Described | undefined, value: unknown): unknown {
  if (schema?.type === 'array') {
    return (Array.isArray(value) ? value : [value]).map((item) => readText(schema.items, item))
  }
  if (typeof value !== 'string') return value
  switch (schema?.type) {
    case 'integer':
      return INTEGER.test(value) && Number.isFinite(Number(value)) ? Number(value) : value
    case 'number':
      return NUMBER.test(value) && Number.isFinite(Number(value)) ? Number(value) : value
    case 'boolean':
      return value === 'true' || (value === 'false' ? false : value)
    default:
      return value
  }
}

export function faultOf(errors: ErrorObject[] | null | undefined, part = 'body'): AppError {
  const error = errors?.[0]
  if (!error) return invalidRequest(part, `${part} is invalid`)
  const field = fieldOf(error) || (part === 'querystring' ? 'query' : part)
  return invalidRequest(field, `${field} ${messageOf(error)}`)
}

function createAjv(validateSchema: boolean): Ajv {
  const ajv = new Ajv({
    validateSchema,
    useDefaults: true,
    allErrors: false,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    // All routes share one Ajv, so the same named schema is compiled more than once.
    addUsedSchema: false,
    // Errors contain their schema, which says what is wanted.
    verbose: true,
  })
  for (const [name, { isValid }] of Object.entries(FORMATS)) ajv.addFormat(name, isValid)
  for (const keyword of ANNOTATIONS) ajv.addKeyword(keyword)
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    schemaType: 'number',
    validate: (maxBytes: number, value: unknown) =>
      Buffer.byteLength(JSON.stringify(value)) <= maxBytes,
    error: { message: ({ schema }) => str`must not be larger than ${schema as number} bytes` },
  })
  return ajv
}

/** For example, `items.3.quantity` for `/items/3` with the missing property `quantity`. */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const segments = instancePath
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') segments.push(String(params['missingProperty']))
  if (keyword === 'additionalProperties') segments.push(String(params['additionalProperty']))
  return segments.join('.')
}

function messageOf({ keyword, params, message, parentSchema }: ErrorObject): string {
  if (keyword === 'required') return 'is required'
  if (keyword === 'additionalProperties') return 'is not known'
  if (keyword === 'enum') {
    return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`
  }
  if (keyword === 'format') return `must be ${FORMATS[params['format'] as string]?.wanted}`
  if (keyword === 'pattern') return `must be ${String(parentSchema?.['x-wanted'])}`
  return (message ?? 'is invalid').replace('must NOT', 'must not')
}
