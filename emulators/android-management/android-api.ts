/**
 * The methods of the Android Management API: every request is held against Google's description
 * before the method itself sees it.
 */
import {
  type ApiDescription,
  type ApiMethod,
  findMessageFault,
  findMethod,
  findQueryFault,
} from '../../src/platform/google/api-description.ts'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import { COMMAND_METHODS } from './commands.ts'
import type { Core } from './core.ts'
import { DEVICE_METHODS } from './devices.ts'
import { ENTERPRISE_METHODS } from './enterprises.ts'
import { ApiError, bodyFault, invalid, queryFault } from './errors.ts'
import { isObject, selectFields } from './masks.ts'
import { type Call, type Method, UNCHANGED } from './method.ts'
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

/** @param path without query */
export function callMethod(
  core: Core,
  api: ApiDescription,
  request: HttpRequest,
  path: string,
  query: URLSearchParams,
): HttpReply {
  const described = findMethod(api, request.method, path)
  const method = described && METHODS[described.id]
  if (described === undefined || method === undefined) {
    throw new ApiError('NOT_FOUND', `The requested URL ${path} was not found on this server.`)
  }
  const fault = findQueryFault(described, query)
  if (fault) throw queryFault(fault)
  const call: Call = {
    ids: idsIn(described, path),
    query,
    body: readBody(api, described, request.body),
  }
  const answer = method(core, call)
  if (request.method !== 'GET') core.touch()
  if (answer === UNCHANGED) return { status: 304 }
  const fields = query.get('fields')
  return { status: 200, body: fields === null ? answer : selectFields(answer, fields) }
}

/** The ids in a path, in their order: even places are names of collections. */
const idsIn = (method: ApiMethod, path: string): string[] => {
  const steps = path.replace(/:\w+$/, '').split('/')
  const template = (method.http.split(' ')[1] ?? '').replace(/:\w+$/, '').split('/')
  return steps.filter((_, at) => template[at]?.startsWith('{')).map(decodeURIComponent)
}

function readBody(api: ApiDescription, method: ApiMethod, text: string): Json {
  const body = text.trim() === '' ? {} : parse(text)
  if (!isObject(body))
    throw invalid('Invalid JSON payload received. Root element must be a message.')
  if (method.request === null) {
    const [name] = Object.keys(body)
    if (name === undefined) return body
    throw bodyFault('request', { path: name, message: 'is not a known member' })
  }
  const fault = findMessageFault(api, method.request, body, { is_request: true })
  if (fault) throw bodyFault(snakeCase(method.request), fault)
  return body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw invalid('Invalid JSON payload received. Unexpected token.')
  }
}

const snakeCase = (name: string): string =>
  name.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
