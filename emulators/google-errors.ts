/** Errors of Google's APIs: a code, a message, a status and details (https://google.aip.dev/193). */
import type { ApiFault } from '../src/platform/google/api-description.ts'
import { isObject } from '../src/platform/is-object.ts'
import type { HttpReply } from './http-server.ts'

const CODES = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
} as const
export type ApiStatus = keyof typeof CODES

export class ApiError extends Error {
  readonly status: ApiStatus
  readonly details: readonly unknown[]

  constructor(status: ApiStatus, message: string, details: readonly unknown[] = []) {
    super(message)
    this.status = status
    this.details = details
  }
}

export const invalid = (message: string): ApiError => new ApiError('INVALID_ARGUMENT', message)

/** The message is Google's, which is the same for every kind of resource. */
export const notFound = (): ApiError => new ApiError('NOT_FOUND', 'Requested entity was not found.')

export function found<T>(resource: T | undefined): T {
  if (resource === undefined) throw notFound()
  return resource
}

export const unknownUrl = (path: string): ApiError =>
  new ApiError('NOT_FOUND', `The requested URL ${path} was not found on this server.`)

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw invalid('Invalid JSON payload received. Unexpected token.')
  }
}

/** Parses a body; without one, the message has no members. */
export function parseMessage(text: string): Record<string, unknown> {
  const body = text.trim() === '' ? {} : parseJson(text)
  if (isObject(body)) return body
  throw invalid('Invalid JSON payload received. Root element must be a message.')
}

export function internalError(error: unknown): HttpReply {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { status: 500, body: { error: { code: 500, message, status: 'INTERNAL' } } }
}

export function errorReply(error: ApiError): HttpReply {
  const { status, message, details } = error
  const code = CODES[status]
  return {
    status: code,
    body: { error: { code, message, status, ...(details.length > 0 && { details }) } },
  }
}

/** @param root name of the message in Google's sentences: `enrollment_token` */
export function bodyFault(root: string, fault: ApiFault): ApiError {
  const steps = [root, ...fault.path.split('.').filter(Boolean)]
  const isUnknown = fault.message === 'is not a known member'
  const name = steps.at(-1) ?? ''
  const text = isUnknown
    ? `Unknown name "${name}" at '${fieldPath(steps.slice(0, -1))}': Cannot find field.`
    : `Invalid value at '${fieldPath(steps)}': ${fault.message}`
  return badRequest(`Invalid JSON payload received. ${text}`, fieldPath(steps.slice(1)), text)
}

export function queryFault({ path, message }: ApiFault): ApiError {
  const text =
    message === 'is not known'
      ? `Unknown name "${path}": Cannot bind query parameter. Field '${path}' could not be found in request message.`
      : `Invalid value at '${path}': ${message}`
  return badRequest(`Invalid JSON payload received. ${text}`, path, text)
}

const fieldPath = (steps: readonly string[]): string =>
  steps
    .map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('')

const badRequest = (message: string, field: string, description: string): ApiError =>
  new ApiError('INVALID_ARGUMENT', message, [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field, description }],
    },
  ])
