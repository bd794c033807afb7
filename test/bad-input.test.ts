/**
 * Bad input of any kind is answered with a 400 in the envelope that names the field, and has no effects.
 * The OpenAPI document supplies the operations, so that new ones are tested too.
 */
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Described, withAbsentMembers } from '../src/platform/http/absent-members.ts'
import type { App } from '../src/platform/http/app.ts'
import { STORABLE_JSON, storableJson, withStorable } from '../src/platform/http/documented.ts'
import { choice, opaqueObject } from '../src/platform/http/schemas.ts'
import { type Harness, openHarness } from './harness.ts'
import { createBareServer, describeBare } from './support/bare-server.ts'
import { type BodyMutation, createMutations } from './support/body-mutations.ts'
import { countRows } from './support/books.ts'
import {
  type Answer,
  bodiesOf,
  bodyOf,
  RUNS,
  SEED,
  type Subject,
  send,
  sendAll,
  wholeBody,
  withoutLimits,
} from './support/calls.ts'
import {
  type Operation,
  operationsOf,
  readDocument,
  type Schema,
  withoutReferences,
} from './support/document.ts'
import { GOOD_BY_NAME, queryMutations } from './support/query-mutations.ts'
import { validatorOf } from './support/schema-rules.ts'
import { valuesOf } from './support/schema-values.ts'

const BODY_MAX_BYTES = 1_048_576
/** Limit of routes that declare none. */
const SMALL_BODY_BYTES = 65_536

/** Identifiers that are invalid for every kind of record. */
const UNUSABLE_IDS = ['%00', '%', '%zz', '%ED%A0%80', '%2e%2e', 'x'.repeat(5000), 'x'.repeat(513)]
/** Identifiers that are valid only where clients choose them. */
const ODD_IDS = ['%F0%9F%98%80', "'", '%22', '-1', '1e400']
const CHOSEN_BY_CLIENTS = /\/edge\/devices\//

/** Checks the refusal and returns the field that it names. */
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

/** A bulk request answers each element; the generated ones have one. */
function answerAboutElement({ body, path }: Operation, answer: Answer): Answer {
  const [element] = answer.status === 200 ? (answer.body['content'] as Answer['body'][]) : []
  if (element === undefined) return answer
  const [list = ''] = Object.keys(body?.['properties'] ?? {})
  expect(element['success'], path).toBe(false)
  const { field } = element['content'] as { field: string }
  const within = field === 'body' ? `${list}.0` : `${list}.0.${field}`
  return { status: 400, body: { ...element, content: { field: within } } }
}

async function refuseAll(subject: Subject, operation: Operation, bodies: BodyMutation[]) {
  const answers = await sendAll(
    subject,
    operation,
    bodies.map(({ text }) => text),
  )
  for (const [index, { name, namesField }] of bodies.entries()) {
    const field = fieldOf(answerAboutElement(operation, answers[index] as Answer), name)
    expect(namesField(field), `${name} was answered with the field ${field}`).toBe(true)
  }
}

/** A device policy has hundreds of members, and the machine may be busy. */
const PATIENCE = { timeout: 300_000 }

function itRefusesBadBodies(subject: () => Subject, operation: Operation): void {
  const { types, takes_gzip, max_bytes, is_lenient } = operation.body_rules
  const mutationsOf = createMutations(bodyOf(operation))
  const refused: BodyMutation['kind'][] = is_lenient ? ['wrong'] : ['wrong', 'deep', 'unstorable']
  const isRefused = ({ kind }: BodyMutation) => refused.includes(kind)

  it('a body with one bad member, for every member and every fault', PATIENCE, async () => {
    const bodies = mutationsOf(wholeBody(operation))
      .map((mutate) => mutate())
      .filter(isRefused)
    expect(bodies.length).toBeGreaterThan(20)
    await refuseAll(subject(), operation, bodies)
  })

  it('random bodies, each with one bad member', PATIENCE, async () => {
    const choices = fc.array(fc.nat(), { minLength: 10, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(bodiesOf(operation), choices, async (body, chosen) => {
        const mutations = mutationsOf(body)
        const some = chosen.flatMap((number) => mutations[number % mutations.length]?.() ?? [])
        await refuseAll(subject(), operation, some.filter(isRefused))
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })

  let wholeText: string | undefined
  const whole = () => (wholeText ??= JSON.stringify(wholeBody(operation)))
  it.each<[string, () => string | Buffer]>([
    ['empty', () => ''],
    ['blank', () => ' \r\n'],
    ['truncated', () => whole().slice(0, -1)],
    ['truncated within a string', () => whole().slice(0, 3)],
    ['with a trailing comma', () => `${whole().slice(0, -1)},}`],
    ['followed by a second body', () => `${whole()}{}`],
    ['with single quotes', () => "{'a':1}"],
    ['NaN', () => 'NaN'],
    ['a form', () => 'email=jane%40example.com'],
    ['XML', () => '<check/>'],
    ['an array', () => '[]'],
    ['an array of good bodies', () => `[${whole()}]`],
    ['a string', () => '"text"'],
    ['a number', () => '5'],
    ['true', () => 'true'],
    ['null', () => 'null'],
    [
      'invalid UTF-8',
      () => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ['UTF-16', () => Buffer.from(whole(), 'utf16le')],
    ['preceded by a byte order mark', () => `\ufeff${whole()}`],
    ['compressed', () => gzipSync(whole())],
    ['too large', () => ' '.repeat(max_bytes) + whole()],
    ['larger than ten megabytes', () => `{"a":"${'x'.repeat(10_000_000)}"}`],
  ])('a body that is %s', async (name, body) => {
    const answer = await send(subject(), operation, { body: body() })
    expect(fieldOf(answer, name)).toBe('body')
  })

  const otherTypes = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application',
    '',
    null,
  ].filter((type) => !types.includes(type ?? 'text/plain'))
  it.each(otherTypes)('a body under the content type %j', async (type) => {
    const answer = await send(subject(), operation, { body: whole(), type })
    expect(fieldOf(answer, String(type))).toBe('Content-Type')
  })

  const gzip = takes_gzip ? [] : ['gzip']
  it.each([...gzip, 'br', 'deflate', 'gzip, gzip', 'none', ''])(
    'a body under the content encoding %j',
    async (encoding) => {
      const sent = { body: gzipSync(whole()), headers: { 'content-encoding': encoding } }
      const answer = await send(subject(), operation, sent)
      expect(fieldOf(answer, encoding)).toBe('Content-Encoding')
    },
  )

  const compressed = () => gzipSync(whole())
  if (takes_gzip)
    it.each<[string, () => string | Buffer]>([
      ['not at all', whole],
      ['and truncated', () => compressed().subarray(0, -1)],
      ['and corrupted', () => compressed().fill(0xff, 12, 14)],
      ['and too large when decompressed', () => gzipSync(' '.repeat(max_bytes) + whole())],
      ['twice', () => gzipSync(compressed())],
      ['from an empty body', () => gzipSync('')],
    ])('a body that is compressed %s', async (name, body) => {
      const sent = { body: body(), headers: { 'content-encoding': 'gzip' } }
      expect(fieldOf(await send(subject(), operation, sent), name)).toBe('body')
    })

  it('no body at all', async () => {
    expect(fieldOf(await send(subject(), operation, {}), 'no body')).toBe('body')
  })
}

/** Invalid values for any header that an operation requires. */
const BAD_HEADERS = [
  undefined,
  '',
  ' ',
  'two words',
  'x'.repeat(256),
  '"',
  '"open',
  '""',
  'ü',
  '\t',
]

function itRefusesBadParameters(subject: () => Subject, operation: Operation): void {
  const headers = operation.parameters.filter(
    (parameter) => parameter.in === 'header' && parameter.required,
  )
  const query = operation.parameters.filter((parameter) => parameter.in === 'query')
  const path = operation.parameters.filter((parameter) => parameter.in === 'path')
  const body = operation.body ? JSON.stringify(wholeBody(operation)) : undefined

  if (query.length > 0)
    it('a query parameter with any fault', async () => {
      const { org_id } = subject()
      const texts = query.map(({ name, schema, example }): [string, string] => [
        name,
        String(example ?? fc.sample(valuesOf(schema), { numRuns: 1, seed: SEED })[0]),
      ])
      const known = { ...GOOD_BY_NAME, ...(org_id !== undefined && { org_id }) }
      const isAccepted = ([name]: [string, string]) =>
        query.some((parameter) => parameter.name === name)
      const good = Object.fromEntries([...texts, ...Object.entries(known).filter(isAccepted)])
      for (const spoilt of queryMutations(query, good)) {
        const answer = await send(subject(), operation, {
          query: spoilt.query,
          ...(body && { body }),
        })
        expect(fieldOf(answer, spoilt.name), spoilt.name).toBe(spoilt.field)
      }
    })

  if (headers.length > 0)
    it('a header that is missing or unusable', async () => {
      const [example] = (operation.body?.['examples'] ?? []) as object[]
      for (const { name } of headers) {
        for (const value of BAD_HEADERS) {
          const sent = { body: JSON.stringify(example), headers: { [name]: value } }
          const answer = await send(subject(), operation, sent)
          expect(fieldOf(answer, `${name}: ${value}`)).toBe(name)
        }
      }
    })

  if (path.length > 0)
    it('OP-38: a bad identifier in the path is a 404', async () => {
      const { org_id } = subject()
      const own = org_id === undefined ? {} : { org_id }
      // Without a valid body, the operation would be refused before it looks up the record.
      const [example] = (operation.body?.['examples'] ?? []) as object[]
      const content = example && JSON.stringify({ ...example, ...own })
      const takesOrganization = query.some(({ name }) => name === 'org_id')
      const isChosen = CHOSEN_BY_CLIENTS.test(operation.path)
      for (const id of isChosen ? UNUSABLE_IDS : [...UNUSABLE_IDS, ...ODD_IDS]) {
        const { status, body: answer } = await send(subject(), operation, {
          id,
          ...(takesOrganization && { query: new URLSearchParams(own).toString() }),
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

// Tests are named after the operations, so the document is read before they are declared.
const contract = await openHarness({
  settings: {
    ...withoutLimits(),
    VIGIL_CHECK_DEADLINE_MS: '20',
    VIGIL_BODY_MAX_BYTES: String(BODY_MAX_BYTES),
  },
})
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
    subject = {
      app: contract.app,
      credentials: { api_key: keys.live_secret, public_key: keys.live_public, portal },
      org_id,
    }
    before = await stateOf(contract, org_id)
  })

  if (operation.body) itRefusesBadBodies(() => subject, operation)
  itRefusesBadParameters(() => subject, operation)

  it('all of this without storing, charging or emitting anything', async () => {
    expect(await stateOf(contract, orgId)).toEqual(before)
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
  phone: Type.Optional(
    Type.String({ pattern: '^\\+[1-9][0-9]{1,14}$', 'x-wanted': 'a phone number' }),
  ),
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

describe('an operation with every kind of input refuses', () => {
  const app = createBareServer({ body_max_bytes: BODY_MAX_BYTES })
  const subject = { app, credentials: { api_key: 'secret', portal: 'token' } }
  const reached: unknown[] = []
  const [described] = describeSpecimen()

  beforeAll(async () => {
    await describeBare(app)
    app.post(
      '/v1/specimens',
      {
        config: { access: 'user', rate_class: 'console' },
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

  it('all of this before the handler, which good requests reach', async () => {
    expect(reached).toEqual([])
    const body = JSON.stringify(wholeBody(operation))
    expect((await send(subject, operation, { body, query: 'org_id=1' })).status).toBe(200)
    expect(reached).toHaveLength(1)
  })

  it('bodies that match the document of the operation', () => {
    const [served] = operationsOf(readDocument(app))
    expect(served?.body).toEqual(operation.body)
    expect(served?.body_rules).toEqual(operation.body_rules)
    expect(served?.parameters.map(({ name }) => name)).toEqual(
      operation.parameters.map(({ name }) => name),
    )
  })
})

describe('generated bodies', () => {
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

async function stateOf({ stores, services }: Harness, orgId: string) {
  return {
    rows: await countRows(stores.db, orgId),
    funds: await services.billing.funds(orgId),
  }
}

function describeSpecimen(): Operation[] {
  const reference = { $ref: `#/components/schemas/${STORABLE_JSON}` }
  const schemas = { [STORABLE_JSON]: storableJson(reference) }
  const components = { schemas, securitySchemes: {} }
  const described = withoutReferences({ components }, reference) as Schema
  const plain = <T>(schema: T): T => JSON.parse(JSON.stringify(schema)) as T
  const required: readonly string[] = specimenQuery.required
  return [
    {
      name: 'POST /specimens',
      method: 'POST',
      path: '/v1/specimens',
      operation_id: 'specimen',
      security: [{ portal: [] }],
      tags: [],
      open_point: '',
      parameters: Object.entries(plain(specimenQuery.properties)).map(([name, schema]) => ({
        name,
        in: 'query',
        schema: { ...schema },
        required: required.includes(name),
      })),
      body: withStorable(withAbsentMembers(plain(specimenBody) as Described), described),
      body_rules: {
        types: ['application/json'],
        takes_gzip: false,
        max_bytes: SMALL_BODY_BYTES,
        is_lenient: false,
      },
      responses: {},
    },
  ]
}

/** The specimen with a valid query, for the tests of its body. */
function withQuery(app: App): App {
  const inject = (options: { url: string }) =>
    app.inject({ ...options, url: `${options.url}?org_id=1` })
  return { inject } as unknown as App
}
