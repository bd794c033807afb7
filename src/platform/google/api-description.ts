/**
 * Validates requests and responses of a Google API against its description in `reference/`, which
 * `scripts/api-description.ts` generates: methods by path, messages by name. A type is `string`,
 * `boolean`, `number`, `int32`, `int64`, `timestamp`, `duration`, `bytes`, `object`, `any`,
 * `enum A B C`, `#Message`, `[]TYPE` for a list or `{}TYPE` for a map; the prefix `output ` marks a
 * member that only the API itself sets.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../is-object.ts'
import { packageRoot } from '../package-root.ts'

export type ApiMethod = {
  /** The method's name in the API reference: `enterprises.policies.patch`. */
  id: string
  /** `PATCH /v1/enterprises/{enterprisesId}/policies/{policiesId}` */
  http: string
  query: Readonly<Record<string, string>>
  request: string | null
  response: string | null
}

export type ApiDescription = {
  api: string
  revision: string
  methods: readonly ApiMethod[]
  messages: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The path of the offending member, `applications.2.installType`, and the predicate about it. */
export type ApiFault = { path: string; message: string }

type Options = {
  /** In a request, members that only the API sets are a fault. */
  is_request: boolean
  /** Path of the value, which precedes the paths of its members in faults. */
  path?: string
}

/** @param name of the file in `reference/`, without its extension */
export const readApiDescription = (name: string): ApiDescription =>
  JSON.parse(
    readFileSync(join(packageRoot(), 'reference', `${name}.json`), 'utf8'),
  ) as ApiDescription

/** @param path without host and query */
export function findMethod(api: ApiDescription, verb: string, path: string): ApiMethod | undefined {
  return api.methods.find(({ http }) => {
    const [httpVerb, template = ''] = http.split(' ')
    return httpVerb === verb && pathPattern(template).test(path)
  })
}

/** A resource id contains neither a slash nor a colon, which starts a custom verb (`:issueCommand`). */
const pathPattern = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/:]+')}$`)

/** Every method accepts these (https://cloud.google.com/apis/docs/system-parameters). */
const SYSTEM_PARAMETERS: Readonly<Record<string, string>> = {
  alt: 'enum json',
  fields: 'string',
  prettyPrint: 'boolean',
}

export function findQueryFault(
  method: ApiMethod,
  query: Iterable<readonly [name: string, value: string]>,
): ApiFault | undefined {
  for (const [name, value] of query) {
    const type = method.query[name] ?? SYSTEM_PARAMETERS[name]
    if (type === undefined) return { path: name, message: 'is not known' }
    const message = scalarFault(type.replace('[]', ''), fromText(type, value))
    if (message !== undefined) return { path: name, message }
  }
  return undefined
}

const fromText = (type: string, value: string): unknown => {
  if (type === 'int32') return Number(value)
  return type === 'boolean' ? value === 'true' : value
}

/** @returns the first fault of a message, or undefined when it conforms */
export function findMessageFault(
  api: ApiDescription,
  message: string,
  value: unknown,
  { is_request, path = '' }: Options,
): ApiFault | undefined {
  const members = api.messages[message]
  if (members === undefined) throw new Error(`${api.api} has no message ${message}`)
  if (!isObject(value)) return { path, message: 'must be object' }
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`
    const type = Object.hasOwn(members, name) ? members[name] : undefined
    if (type === undefined) return { path: at, message: 'is not a known member' }
    const isOutput = type.startsWith(OUTPUT)
    if (isOutput && is_request) return { path: at, message: 'cannot be set' }
    const bare = isOutput ? type.slice(OUTPUT.length) : type
    const fault = findTypeFault(api, bare, member, { is_request, path: at })
    if (fault) return fault
  }
  return undefined
}

const OUTPUT = 'output '

function findTypeFault(
  api: ApiDescription,
  type: string,
  value: unknown,
  { is_request, path }: Required<Options>,
): ApiFault | undefined {
  if (type.startsWith('[]')) {
    if (!Array.isArray(value)) return { path, message: 'must be array' }
    return firstFault(value.entries(), type.slice(2))
  }
  if (type.startsWith('{}')) {
    if (!isObject(value)) return { path, message: 'must be object' }
    return firstFault(Object.entries(value), type.slice(2))
  }
  if (type.startsWith('#')) {
    return findMessageFault(api, type.slice(1), value, { is_request, path })
  }
  const message = scalarFault(type, value)
  return message === undefined ? undefined : { path, message }

  function firstFault(
    members: Iterable<readonly [key: string | number, value: unknown]>,
    inner: string,
  ): ApiFault | undefined {
    for (const [key, member] of members) {
      const fault = findTypeFault(api, inner, member, { is_request, path: `${path}.${key}` })
      if (fault) return fault
    }
    return undefined
  }
}

const INT32_MAX = 2_147_483_647
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
const DURATION = /^-?\d{1,12}(?:\.\d{1,9})?s$/
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** Formats of the protobuf JSON mapping (https://protobuf.dev/programming-guides/json/). */
function scalarFault(type: string, value: unknown): string | undefined {
  if (type.startsWith('enum ')) {
    const values = type.split(' ').slice(1)
    const isOne = typeof value === 'string' && values.includes(value)
    return isOne ? undefined : `must be one of ${values.join(', ')}`
  }
  const isText = typeof value === 'string'
  const isNumber = typeof value === 'number' && Number.isFinite(value)
  switch (type) {
    case 'any':
      return undefined
    case 'object':
      return isObject(value) ? undefined : 'must be object'
    case 'string':
      return isText ? undefined : 'must be string'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be boolean'
    case 'number':
      return isNumber ? undefined : 'must be number'
    case 'int32':
      return Number.isInteger(value) && Math.abs(Number(value)) <= INT32_MAX
        ? undefined
        : 'must be a whole number of 32 bits'
    case 'int64':
      return Number.isSafeInteger(value) || (isText && /^-?\d{1,19}$/.test(value))
        ? undefined
        : 'must be a whole number of 64 bits, as text or number'
    case 'timestamp':
      return isText && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : 'must be a time such as 2026-03-01T12:00:00Z'
    case 'duration':
      return isText && DURATION.test(value) ? undefined : 'must be a duration such as 3600s'
    case 'bytes':
      return isText && BASE64.test(value) ? undefined : 'must be base64'
    default:
      throw new Error(`unknown type ${type} in an API description`)
  }
}
