/**
 * Scenarios come from files that people write by hand, so a mistake in one is answered with a
 * sentence that names the member. Also the members that all emulators share.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { Ajv, type ErrorObject } from 'ajv'
import { type Static, type TSchema, Type } from 'typebox'

/** How long to wait before answering, in milliseconds; 0 when left out. */
export const Latency = Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 }))

/**
 * How an HTTP answer goes wrong. `429` and `500`: that status. `hang`: the connection stays open
 * and silent. `drip`: headers, then a byte now and then without end. `reset`: the connection is
 * torn down. `invalid_json`: a 200 whose body breaks off in the middle.
 */
export const HttpFault = Type.Union([
  Type.Literal('429'),
  Type.Literal('500'),
  Type.Literal('hang'),
  Type.Literal('drip'),
  Type.Literal('reset'),
  Type.Literal('invalid_json'),
])
export type HttpFault = Static<typeof HttpFault>

/** Formats that scenario members may ask for. */
const FORMATS = {
  ipv4: isIPv4,
  ipv6: isIPv6,
  'domain-name': isDomainName,
  'date-time': (text: string) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
}

/**
 * A reader of scenarios: the value itself when it fits the schema, else an error such as
 * `dns scenario: names["shop.example"].latency_ms must be integer`.
 */
export function scenarioReader<T extends TSchema>(
  name: string,
  schema: T,
): (value: unknown) => Static<T> {
  const validate = new Ajv({ formats: FORMATS }).compile(schema)
  return (value) => {
    if (validate(value)) return value as Static<T>
    throw new Error(`${name} scenario: ${sentence(validate.errors ?? [])}`)
  }
}

/** The root, or labels of 1 to 63 characters; a dot at the end is allowed. */
function isDomainName(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.')
  return text === '.' || labels.every((label) => label.length > 0 && label.length < 64)
}

/** The deepest complaint is the most exact one where alternatives were tried. */
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

/** JSON pointer → the way people write it: `names["shop.example"].MX[0]`. */
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
