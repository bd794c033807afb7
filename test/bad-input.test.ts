/**
 * Bad input of any kind is a 400 in the envelope that names the field, and leaves nothing behind.
 * Driven by the OpenAPI document: every operation is walked, those added later too.
 */
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { environmentName, SETTINGS } from '../src/config.ts'
import type { App } from '../src/platform/http/app.ts'
import { describeApi } from '../src/platform/http/openapi.ts'
import { choice, opaqueObject } from '../src/platform/http/schemas.ts'
import { type Harness, openHarness } from './harness.ts'
import { createBareServer } from './support/bare-server.ts'
import { countRows } from './support/books.ts'
import { type Operation, operationsOf, readDocument } from './support/document.ts'
import { valuesOf } from './support/schema-values.ts'
import { createSpoil, type SpoiltBody, validatorOf } from './support/spoil.ts'
import { spoilQuery } from './support/spoil-query.ts'

const STATUSES = [200, 400, 401, 403, 404, 429, 500]
const IN_FLIGHT_MAX = 20
const SEED = 4711
const BODY_MAX_BYTES = 1_048_576

type Credentials = Record<string, string>
/** `org_id` is the organisation that the credentials belong to. */
type Subject = { app: App; credentials: Credentials; org_id?: string }
type Answer = { status: number; body: Record<string, unknown> }

/** What is sent when a parameter of the path is not what the test is about. */
const SOME_ID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'

async function send(
  { app, credentials }: Subject,
  { method, path, security }: Operation,
  sent: { body?: string | Buffer; query?: string; headers?: Record<string, string>; id?: string },
): Promise<Answer> {
  const url = path.replaceAll(/\{\w+\}/g, sent.id ?? SOME_ID)
  const names = security.flatMap((scheme) => Object.keys(scheme))
  const answer = await app.inject({
    method,
    url: sent.query === undefined ? url : `${url}?${sent.query}`,
    headers: {
      ...(names.includes('api_key') && { 'x-api-key': credentials['api_key'] }),
      ...(names.includes('portal') && { authorization: `Bearer ${credentials['portal']}` }),
      ...(sent.body !== undefined && { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    ...(sent.body !== undefined && { payload: sent.body }),
  })
  return { status: answer.statusCode, body: JSON.parse(answer.body) as Record<string, unknown> }
}

/** The name of the field, after everything else about the refusal was found to be right. */
function fieldOf({ status, body }: Answer, what: string): string {
  const { success, message, code, content, ...rest } = body
  expect({ what, status, success, code, rest }).toEqual({
    what,
    status: 400,
    success: false,
    code: 'invalid_request',
    rest: {},
  })
  expect(message, what).toMatch(/\w/)
  const { field, ...others } = content as { field: string }
  expect({ field: typeof field, others }, what).toEqual({ field: 'string', others: {} })
  return field
}

async function refuseAll(subject: Subject, operation: Operation, bodies: SpoiltBody[]) {
  for (let start = 0; start < bodies.length; start += IN_FLIGHT_MAX) {
    const some = bodies.slice(start, start + IN_FLIGHT_MAX)
    const answers = await Promise.all(
      some.map(({ text }) => send(subject, operation, { body: text })),
    )
    for (const [index, { name, namesField }] of some.entries()) {
      const field = fieldOf(answers[index] as Answer, name)
      expect(namesField(field), `${name} was answered with the field ${field}`).toBe(true)
    }
  }
}

const bodyOf = (operation: Operation) => operation.body ?? {}
const wholeBody = (operation: Operation): unknown =>
  fc.sample(valuesOf(bodyOf(operation), { whole: true }), { numRuns: 1, seed: SEED })[0]

function itRefusesBadBodies(subject: () => Subject, operation: Operation): void {
  const spoil = createSpoil(bodyOf(operation))

  it('a body with one bad member, for every member and every way to be bad', async () => {
    const spoilt = spoil(wholeBody(operation))
    expect(spoilt.length).toBeGreaterThan(20)
    await refuseAll(subject(), operation, spoilt)
  })

  it('random bodies, each with one bad member', async () => {
    const choices = fc.array(fc.nat(), { minLength: 5, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(valuesOf(bodyOf(operation)), choices, async (body, chosen) => {
        const spoilt = spoil(body)
        const some = chosen.flatMap((number) => spoilt[number % spoilt.length] ?? [])
        await refuseAll(subject(), operation, some)
      }),
      { numRuns: 30, seed: SEED },
    )
  })

  const whole = () => JSON.stringify(wholeBody(operation))
  it.each<[string, () => string | Buffer]>([
    ['empty', () => ''],
    ['blank', () => ' \r\n'],
    ['cut off', () => whole().slice(0, -1)],
    ['cut off inside of a text', () => whole().slice(0, 3)],
    ['with a comma too many', () => `${whole().slice(0, -1)},}`],
    ['followed by more', () => `${whole()}{}`],
    ['with single quotes', () => "{'a':1}"],
    ['NaN', () => 'NaN'],
    ['a form', () => 'email=jane%40example.com'],
    ['XML', () => '<check/>'],
    ['a list', () => '[]'],
    ['a list of good ones', () => `[${whole()}]`],
    ['a text', () => '"text"'],
    ['a number', () => '5'],
    ['true', () => 'true'],
    ['null', () => 'null'],
    [
      'invalid UTF-8',
      () => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ['UTF-16', () => Buffer.from(whole(), 'utf16le')],
    ['behind a byte order mark', () => `\ufeff${whole()}`],
    ['compressed', () => gzipSync(whole())],
    ['too large', () => ' '.repeat(BODY_MAX_BYTES) + whole()],
    ['of ten megabytes', () => `{"a":"${'x'.repeat(10_000_000)}"}`],
  ])('a body that is %s', async (name, body) => {
    const answer = await send(subject(), operation, { body: body() })
    expect(fieldOf(answer, name)).toBe('body')
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application',
    '',
  ])('a body under the content type %j', async (type) => {
    const sent = { body: whole(), headers: { 'content-type': type } }
    const field = fieldOf(await send(subject(), operation, sent), type)
    expect(field).toBe('Content-Type')
  })

  it('no body at all', async () => {
    expect(fieldOf(await send(subject(), operation, {}), 'no body')).toBe('body')
  })
}

function itRefusesBadParameters(subject: () => Subject, operation: Operation): void {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query')
  const path = operation.parameters.filter((parameter) => parameter.in === 'path')
  const body = operation.body ? JSON.stringify(wholeBody(operation)) : undefined

  if (query.length > 0)
    it('a bad query parameter, in every way', async () => {
      const good = query.map(({ name, schema }): [string, string] => [
        name,
        String(fc.sample(valuesOf(schema), { numRuns: 1, seed: SEED })[0]),
      ])
      for (const spoilt of spoilQuery(query, Object.fromEntries(good))) {
        const answer = await send(subject(), operation, {
          query: spoilt.query,
          ...(body && { body }),
        })
        expect(fieldOf(answer, spoilt.name), spoilt.name).toBe(spoilt.field)
      }
    })

  if (path.length > 0)
    it('OP-38: a bad identifier in the path is a 404', async () => {
      const bad = [
        '%00',
        '%',
        '%zz',
        '%ED%A0%80',
        '%F0%9F%98%80',
        '%2e%2e',
        'x'.repeat(5000),
        "'",
        '%22',
        '-1',
        '1e400',
      ]
      const { org_id } = subject()
      const own = org_id === undefined ? {} : { org_id }
      const content = body && JSON.stringify({ ...(JSON.parse(body) as object), ...own })
      const isAsked = query.some(({ name }) => name === 'org_id')
      for (const id of bad) {
        const { status, body: answer } = await send(subject(), operation, {
          id,
          ...(isAsked && { query: new URLSearchParams(own).toString() }),
          ...(content && { body: content }),
        })
        expect({ id, status, answer }).toEqual({
          id,
          status: 404,
          answer: { success: false, message: 'Not found' },
        })
      }
    })
}

// The names of the tests have to be known before anything runs, so the document is read here.
const contract = await openHarness({ settings: withoutLimits() })
const operations = operationsOf(readDocument(contract.app))
afterAll(async () => await contract.close())

describe.each(operations)('$name refuses', (operation) => {
  let subject: Subject
  let orgId: string
  let before: unknown
  beforeAll(async () => {
    const { org_id, keys } = await contract.createTenant('business')
    orgId = org_id
    const portal = await contract.signIn(org_id)
    subject = { app: contract.app, credentials: { api_key: keys.live_secret, portal }, org_id }
    before = await stateOf(contract, org_id)
  })

  if (operation.body) itRefusesBadBodies(() => subject, operation)
  itRefusesBadParameters(() => subject, operation)

  it('all that without storing, charging or emitting anything', async () => {
    expect(await stateOf(contract, orgId)).toEqual(before)
  })
})

describe.each(operations.filter(({ body }) => body))('$name takes', (operation) => {
  it('whatever its schema allows, without ever failing', async () => {
    const { org_id, keys } = await contract.createTenant('business')
    const portal = await contract.signIn(org_id)
    const subject = { app: contract.app, credentials: { api_key: keys.live_secret, portal } }
    await fc.assert(
      fc.asyncProperty(valuesOf(bodyOf(operation)), async (body) => {
        const { status } = await send(subject, operation, { body: JSON.stringify(body) })
        expect(STATUSES).toContain(status)
        expect(status).not.toBe(500)
      }),
      { numRuns: 60, seed: SEED },
    )
  })
})

const item = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 40 }),
  quantity: Type.Integer({ minimum: 1, maximum: 1000 }),
  price: Type.Number({ minimum: 0 }),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 10 }), { maxItems: 5 })),
  discount: Type.Optional(Type.Union([Type.Null(), Type.Integer({ minimum: 0 })])),
})
const specimenBody = Type.Object({
  org_id: Type.String({ format: 'uuid' }),
  kind: choice(['one', 'two']),
  at: Type.Optional(Type.String({ format: 'date-time' })),
  phone: Type.Optional(Type.String({ pattern: '^\\+[1-9][0-9]{1,14}$' })),
  when: Type.Optional(Type.Union([Type.String({ maxLength: 30 }), Type.Number()])),
  is_open: Type.Optional(Type.Boolean()),
  place: Type.Optional(Type.Object({ latitude: Type.Number({ minimum: -90, maximum: 90 }) })),
  data: Type.Optional(opaqueObject('Anything')),
  items: Type.Array(item, { minItems: 1, maxItems: 3 }),
})
const specimenQuery = Type.Object({
  org_id: Type.String({ minLength: 1, maxLength: 36 }),
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
  ratio: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  is_open: Type.Optional(Type.Boolean()),
  level: Type.Optional(choice(['info', 'error'])),
  start_date: Type.Optional(Type.String({ format: 'date-time' })),
})

describe('an operation with everything that the contract may yet need refuses', () => {
  const app = createBareServer({ body_max_bytes: BODY_MAX_BYTES })
  const subject = { app, credentials: { api_key: 'secret', portal: 'token' } }
  const reached: unknown[] = []
  const [described] = describeSpecimen()

  beforeAll(async () => {
    await describeApi(app, { version: '1', base_url: 'http://127.0.0.1/v1' })
    app.post(
      '/v1/specimens',
      {
        config: { access: 'portal', rate_class: 'console' },
        schema: { operationId: 'specimen', body: specimenBody, querystring: specimenQuery },
      },
      (request) => {
        reached.push(request.body)
        return {}
      },
    )
    await app.ready()
  })
  afterAll(async () => await app.close())

  const operation = described as Operation
  itRefusesBadBodies(() => ({ ...subject, app: withQuery(app) }), operation)
  itRefusesBadParameters(() => subject, operation)

  it('all that before the use case is reached, which good requests do reach', async () => {
    expect(reached).toEqual([])
    const body = JSON.stringify(wholeBody(operation))
    expect((await send(subject, operation, { body, query: 'org_id=1' })).status).toBe(200)
    expect(reached).toHaveLength(1)
  })

  it('and the document of that operation is what the test takes it for', () => {
    const [served] = operationsOf(readDocument(app))
    expect(served?.body).toEqual(operation.body)
    expect(served?.parameters.map(({ name }) => name)).toEqual(
      operation.parameters.map(({ name }) => name),
    )
  })
})

describe('the values that the tests are made of', () => {
  it.each(operations.filter(({ body }) => body))('fit the schema: $name', (operation) => {
    const schema = bodyOf(operation)
    const isValid = validatorOf(schema)
    for (const whole of [true, false]) {
      fc.assert(
        fc.property(valuesOf(schema, { whole }), (body) => isValid(body)),
        { numRuns: 50 },
      )
    }
  })
})

/** No request of this file may be refused for being one too many. */
function withoutLimits(): Record<string, string> {
  const limits = Object.keys(SETTINGS).filter((name) => name.startsWith('rate_limit_'))
  return {
    VIGIL_CHECK_DEADLINE_MS: '20',
    VIGIL_BODY_MAX_BYTES: String(BODY_MAX_BYTES),
    ...Object.fromEntries(limits.map((name) => [environmentName(name), '999999999/1'])),
  }
}

async function stateOf({ stores, services }: Harness, orgId: string) {
  return {
    rows: await countRows(stores.db, orgId),
    funds: await services.billing.funds(orgId),
  }
}

function describeSpecimen(): Operation[] {
  const plain = <T>(schema: T): T => JSON.parse(JSON.stringify(schema)) as T
  const required: readonly string[] = specimenQuery.required
  return [
    {
      name: 'POST /specimens',
      method: 'POST',
      path: '/v1/specimens',
      operation_id: 'specimen',
      security: [{ portal: [] }],
      open_point: '',
      parameters: Object.entries(plain(specimenQuery.properties)).map(([name, schema]) => ({
        name,
        in: 'query',
        schema: { ...schema },
        required: required.includes(name),
      })),
      body: { ...plain(specimenBody) },
      responses: {},
    },
  ]
}

/** The specimen with a good query, for the tests that are about its body. */
function withQuery(app: App): App {
  const inject = (options: { url: string }) =>
    app.inject({ ...options, url: `${options.url}?org_id=1` })
  return { inject } as unknown as App
}
