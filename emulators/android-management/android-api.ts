/**
 * The methods of the Android Management API. Every request is validated by Google's description of the
 * API before it reaches its method.
 */
import {
  type ApiDescription,
  type ApiMethod,
  findMessageFault,
  findMethod,
  findQueryFault,
} from '../../src/platform/google/api-description.ts'
import { bodyFault, parseMessage, queryFault, unknownUrl } from '../google-errors.ts'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import { COMMAND_METHODS } from './commands.ts'
import type { Core } from './core.ts'
import { DEVICE_METHODS } from './devices.ts'
import { ENTERPRISE_METHODS } from './enterprises.ts'
import { selectFields } from './masks.ts'
import { type Method, UNCHANGED } from './method.ts'
import { OPERATION_METHODS } from './operations.ts'
import { POLICY_METHODS } from './policies.ts'
import type { Json } from './resources.ts'
import { TOKEN_METHODS } from './tokens.ts'

const METHODS: Readonly<Record<string, Method>> = {
  ...ENTERPRISE_METHODS,
  ...POLICY_METHODS,
  ...TOKEN_METHODS,
  ...DEVICE_METHODS,
  ...COMMAND_METHODS,
  ...OPERATION_METHODS,
}

export type ApiRequest = {
  readonly request: HttpRequest
  /** Path without query. */
  readonly path: string
  readonly query: URLSearchParams
}

export function callMethod(
  core: Core,
  api: ApiDescription,
  { request, path, query }: ApiRequest,
): HttpReply {
  const described = findMethod(api, request.method, path)
  const method = described && METHODS[described.id]
  if (described === undefined || method === undefined) throw unknownUrl(path)
  const fault = findQueryFault(described, query)
  if (fault) throw queryFault(fault)
  const body = readBody(api, described, request.body)
  const answer = method(core, { ids: idsIn(described, path), query, body })
  if (request.method !== 'GET') core.touch()
  if (answer === UNCHANGED) return { status: 304 }
  const fields = query.get('fields')
  return { status: 200, body: fields === null ? answer : selectFields(answer, fields) }
}

/** Returns the ids in a path, which are the segments that the template names in braces. */
const idsIn = (method: ApiMethod, path: string): string[] => {
  const segments = path.replace(/:\w+$/, '').split('/')
  const template = (method.http.split(' ')[1] ?? '').replace(/:\w+$/, '').split('/')
  return segments.filter((_, at) => template[at]?.startsWith('{')).map(decodeURIComponent)
}

function readBody(api: ApiDescription, method: ApiMethod, text: string): Json {
  const body = parseMessage(text)
  if (method.request === null) {
    const [name] = Object.keys(body)
    if (name === undefined) return body
    throw bodyFault('request', { path: name, message: 'is not a known member' })
  }
  const fault = findMessageFault(api, method.request, body, { is_request: true })
  if (fault) throw bodyFault(snakeCase(method.request), fault)
  return body
}

const snakeCase = (name: string): string =>
  name.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
