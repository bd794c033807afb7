/** Calls operations of the OpenAPI document with bodies generated from their schemas. */
import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { environmentName, SETTINGS } from '../../src/config.ts'
import type { App } from '../../src/platform/http/app.ts'
import type { Operation, Schema } from './document.ts'
import { valuesOf } from './schema-values.ts'

type Credentials = Record<string, string>
/** `org_id` is the organization of the credentials. */
export type Subject = { app: App; credentials: Credentials; org_id?: string }
export type Answer = { status: number; body: Record<string, unknown> }

type CallOptions = {
  body?: string | Buffer
  /** Content type of the body; null omits the header. */
  type?: string | null
  /** By default the organization of the subject. */
  query?: string
  /** An undefined value omits a required header. */
  headers?: Record<string, string | undefined>
  id?: string
}

/** The same values in every run. */
export const SEED = 4711
/** Random requests for each operation. `npm run test:long` sends twenty times as many. */
export const RUNS = 15 * Number(process.env['TEST_RUNS_FACTOR'] ?? 1)
const IN_FLIGHT_MAX = 20

/** Value of path parameters that the test does not concern. */
const SOME_ID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'

export async function send(
  { app, credentials, org_id }: Subject,
  { method, path, security, parameters }: Operation,
  { body, type = 'application/json', headers, id = SOME_ID, ...options }: CallOptions,
): Promise<Answer> {
  const isOfOrganization = parameters.some(({ name }) => name === 'org_id')
  const own = isOfOrganization && org_id !== undefined ? `org_id=${org_id}` : undefined
  const { query = own } = options
  const url = path.replaceAll(/\{\w+\}/g, id)
  const names = security.flatMap((scheme) => Object.keys(scheme))
  const others = Object.entries({ ...headersOf(parameters), ...headers }).filter(
    ([, value]) => value !== undefined,
  )
  const answer = await app.inject({
    method,
    url: query === undefined ? url : `${url}?${query}`,
    headers: {
      ...(names.includes('api_key') && { 'x-api-key': credentials['api_key'] }),
      ...(names.includes('public_key') && { 'x-api-key': credentials['public_key'] }),
      ...(names.includes('portal') && { authorization: `Bearer ${credentials['portal']}` }),
      ...(body !== undefined && type !== null && { 'content-type': type }),
      ...Object.fromEntries(others),
    },
    ...(body !== undefined && { payload: body }),
  })
  const isFile = String(answer.headers['content-type']).startsWith('text/csv')
  const content = (isFile ? {} : JSON.parse(answer.body)) as Record<string, unknown>
  return { status: answer.statusCode, body: content }
}

/** Required headers, with a new value for each request. */
const headersOf = (parameters: Operation['parameters']): Record<string, string> =>
  Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === 'header' && parameter.required)
      .map(({ name }) => [name, randomUUID()]),
  )

/** Sends a limited number of requests concurrently. */
export async function sendAll(
  subject: Subject,
  operation: Operation,
  texts: readonly string[],
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let start = 0; start < texts.length; start += IN_FLIGHT_MAX) {
    const chunk = texts.slice(start, start + IN_FLIGHT_MAX)
    const requests = chunk.map(async (body) => await send(subject, operation, { body }))
    answers.push(...(await Promise.all(requests)))
  }
  return answers
}

export const bodyOf = (operation: Operation): Schema => operation.body ?? {}

/** Bodies that match the schema. Lenient bodies have one element, since elements are validated singly. */
export function bodiesOf(operation: Operation, options: { whole?: boolean } = {}) {
  const bodies = valuesOf(bodyOf(operation), options)
  return operation.body_rules.is_lenient ? bodies.map(withOneElement) : bodies
}

/** A body with every optional member. */
export const wholeBody = (operation: Operation): unknown =>
  fc.sample(bodiesOf(operation, { whole: true }), { numRuns: 1, seed: SEED })[0]

const withOneElement = (body: unknown): unknown =>
  Object.fromEntries(
    Object.entries(body as object).map(([name, value]: [string, unknown]) => [
      name,
      Array.isArray(value) ? value.slice(0, 1) : value,
    ]),
  )

/** Settings that disable the rate limits. */
export function withoutLimits(): Record<string, string> {
  const limits = Object.keys(SETTINGS).filter((name) => name.startsWith('rate_limit_'))
  return Object.fromEntries(limits.map((name) => [environmentName(name), '999999999/1']))
}
