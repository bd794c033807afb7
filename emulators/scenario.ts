/**
 * Validation of scenarios, and the schemas that scenarios and control interfaces share. Scenarios are
 * written by hand, so an error names the invalid member in a sentence.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { type Static, type TSchema, Type } from 'typebox'

/** An object without other members. */
export const object = <T extends Record<string, TSchema>>(members: T) =>
  Type.Object(members, { additionalProperties: false })

export const oneOf = <T extends string>(...texts: readonly T[]) =>
  Type.Unsafe<T>(Type.Union(texts.map((text) => Type.Literal(text))))

/** Delay of an answer in milliseconds; default 0. */
export const Latency = Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 }))

/**
 * The fault of an HTTP answer. `429` and `500` answer with that status, `hang` keeps the connection
 * open and silent, `drip` sends the headers and then one byte at a time without end, `reset` resets
 * the connection, `invalid_json` answers 200 with a body that breaks off.
 */
export const HttpFault = oneOf('429', '500', 'hang', 'drip', 'reset', 'invalid_json')
export type HttpFault = Static<typeof HttpFault>

/** The formats that schemas of scenarios can name. */
const FORMATS = {
  ipv4: isIPv4,
  ipv6: isIPv6,
  'domain-name': isDomainName,
  'date-time': (text: string) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
}

/**
 * Creates a function that returns a value when it fits the schema and otherwise throws an error such
 * as `dns scenario: names["shop.example"].latency_ms must be integer`.
 */
export function scenarioReader<T extends TSchema>(
  name: string,
  schema: T,
): (value: unknown) => Static<T> {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= new Ajv({ formats: FORMATS }).compile(schema)
    if (validate(value)) return value as Static<T>
    throw new Error(`${name} scenario: ${sentence(validate.errors ?? [])}`)
  }
}

/**
 * The root, or labels of 1 to 63 octets with an optional dot at the end. A name has at most 255
 * octets on the wire (RFC 1035 section 3.1), two more than its text without that dot.
 */
function isDomainName(text: string): boolean {
  if (text === '.') return true
  const name = text.replace(/\.$/, '')
  const labels = name.split('.').map((label) => Buffer.byteLength(label))
  return Buffer.byteLength(name) <= 253 && labels.every((bytes) => bytes > 0 && bytes <= 63)
}

/** Describes the deepest error: when alternatives were tried, it is the most specific one. */
function sentence(errors: readonly ErrorObject[]): string {
  const [error] = errors.toSorted((a, b) => depth(b) - depth(a))
  if (error === undefined) return 'is not valid'
  const params: Record<string, unknown> = error.params
  const path = error.instancePath
  if (error.keyword === 'additionalProperties') {
    return `${memberName(`${path}/${String(params['additionalProperty'])}`)} is not a known member`
  }
  if (error.keyword === 'required') {
    return `${memberName(`${path}/${String(params['missingProperty'])}`)} is missing`
  }
  return `${memberName(path)} ${error.message ?? 'is not valid'}`
}

const depth = (error: ErrorObject) => error.instancePath.split('/').length

/** Turns a JSON pointer into a member expression: `names["shop.example"].MX[0]`. */
function memberName(pointer: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (steps.length === 0) return 'the whole file'
  return steps.map(writeStep).join('').replace(/^\./, '')
}

function writeStep(step: string): string {
  if (/^\d+$/.test(step)) return `[${step}]`
  return /^[a-z_]\w*$/i.test(step) ? `.${step}` : `["${step}"]`
}
