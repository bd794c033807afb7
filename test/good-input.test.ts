/**
 * All input that the document allows is accepted, and accepted data arrives: the counterpart of
 * bad-input.test.ts. The OpenAPI document supplies the operations, so that new ones are tested too.
 */
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startAndroidManagement } from '../emulators/android-management/index.ts'
import { ownDatabase } from './database.ts'
import { openHarness, type Tenant, useHarness } from './harness.ts'
import { type BodyMutation, createBodyMutations } from './support/body-mutations.ts'
import { countRows } from './support/books.ts'
import {
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
import { type Operation, operationsOf, readDocument } from './support/document.ts'
import { whileFlushing } from './support/flushers.ts'
import { bodyThatSucceeds } from './support/mdm-examples.ts'
import { withoutQuota } from './support/mdm-world.ts'
import { addPushApplication, pushBodiesThatSucceed } from './support/push-examples.ts'

const STATUSES = [200, 400, 403, 404]
const emulator = await startAndroidManagement({ port: 0 })
afterAll(async () => await emulator.close())
const settings = {
  ...withoutLimits(),
  ...withoutQuota(),
  VIGIL_CHECK_DEADLINE_MS: '20',
  VIGIL_ANDROID_MANAGEMENT_URL: emulator.url,
}

/** Sign-ups of an organization are limited (OP-81), apart from the rate limits. */
const statusesOf = ({ name }: Operation): number[] =>
  name === 'POST /mdm/enterprise/signup-url' ? [...STATUSES, 429] : STATUSES

/** Operations that store nothing. */
const STORE_NOTHING = new Set(['POST /push-sdk/identity-token'])

// Tests are named after the operations, so the document is read before they are declared.
const contract = await openHarness({ settings })
const operations = operationsOf(readDocument(contract.app)).filter(({ body }) => body)
afterAll(async () => await contract.close())

/** Batches of logs and events; a bulk request has a response for each element instead. */
const lenient = operations.filter(
  ({ body_rules }) => body_rules.is_lenient && body_rules.takes_gzip,
)

async function newSubject(): Promise<Subject> {
  const { org_id, keys } = await contract.createTenant('business')
  const portal = await contract.signIn(org_id)
  return {
    app: contract.app,
    credentials: { api_key: keys.live_secret, public_key: keys.live_public, portal },
    org_id,
  }
}

/** Replaces the organization and other ids in a body by those of the sender. */
function ownBody(body: unknown, { org_id }: Subject, ids: Record<string, string> = {}): string {
  const own = Object.entries({ org_id, ...ids }).filter(([name]) => name in (body as object))
  return JSON.stringify({ ...(body as object), ...Object.fromEntries(own) })
}

/** Ids of records of the sender, which random bodies do not contain. */
async function ownIds({ name }: Operation, { org_id = '' }: Subject) {
  if (!/^POST \/(push-sdk|sdk\/push)\//.test(name)) return {}
  const { application_id, configuration_id } = await addPushApplication(contract, org_id)
  return { application_id, push_configuration_id: configuration_id }
}

const rowCountsOf = async ({ org_id = '' }: Subject) => await countRows(contract.stores.db, org_id)

describe.each(operations)('$name accepts', (operation) => {
  const { path, body_rules } = operation
  const { types, takes_gzip } = body_rules

  it('random bodies that its schema allows, without an error', async () => {
    const subject = await newSubject()
    const own = await ownIds(operation, subject)
    await fc.assert(
      fc.asyncProperty(bodiesOf(operation), async (body) => {
        const { status } = await send(subject, operation, { body: ownBody(body, subject, own) })
        expect(statusesOf(operation)).toContain(status)
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })

  it('the most unusual values that its schema allows, without an error', async () => {
    const subject = await newSubject()
    const wholes = await pushBodiesThatSucceed(contract, operation.name, subject.org_id ?? '')
    const spoil = createBodyMutations(bodyOf(operation))
    const spoilt = (wholes.length > 0 ? wholes : [wholeBody(operation)]).flatMap(spoil)
    const bodies = spoilt.filter(({ kind }) => kind === 'odd')
    expect(bodies.length).toBeGreaterThan(0)
    const texts = bodies.map(({ text }) => ownBody(JSON.parse(text), subject))
    const answers = await sendAll(subject, operation, texts)
    for (const [index, { status }] of answers.entries()) {
      expect(statusesOf(operation), bodies[index]?.name).toContain(status)
    }
    if (wholes.length > 0) expect(answers.some(({ status }) => status === 200)).toBe(true)
  })

  // No record has the identifier that is sent.
  const isAboutRecord = path.includes('{')

  if (!isAboutRecord)
    it('the example of the document, and stores it', async () => {
      const subject = await newSubject()
      const body = await goodBody(operation, subject)
      const before = await rowCountsOf(subject)
      expect(await send(subject, operation, { body })).toMatchObject({ status: 200 })
      const isSame = isDeepStrictEqual(await rowCountsOf(subject), before)
      expect(isSame).toBe(STORE_NOTHING.has(operation.name))
    })

  it('the example under every type and encoding that the document names', async () => {
    const isText = types.includes('text/plain')
    for (const type of [
      ...types,
      ...types.map((one) => `${one}; charset=UTF-8`),
      ...(isText ? [null] : []),
    ]) {
      const subject = await newSubject()
      const body = await goodBody(operation, subject)
      const { status, body: answer } = await send(subject, operation, { body, type })
      expect({ type, status, answer }).toMatchObject({ status: isAboutRecord ? 404 : 200 })
      if (!takes_gzip) continue
      const headers = { 'content-encoding': 'gzip' }
      const compressed = await send(subject, operation, { body: gzipSync(body), type, headers })
      // A compressed body is a repetition of the same request, about which only the message may differ.
      const { message } = compressed.body
      expect(message).toContain(answer['message'])
      expect({ type, ...compressed }).toEqual({ type, status, body: { ...answer, message } })
    }
  })
})

describe.each(lenient)('a batch for $name', (operation) => {
  let subject: Subject
  beforeAll(async () => {
    subject = await newSubject()
  })
  const answersTo = async (bodies: readonly { text: string }[]) =>
    await sendAll(
      subject,
      operation,
      bodies.map(({ text }) => text),
    )

  it('loses its bad elements and nothing else', async () => {
    const batches = samplesOf(operation, 3).flatMap((body) =>
      createBodyMutations(bodyOf(operation))(body).flatMap(({ name, text, kind }) => {
        const batch = kind === 'odd' ? undefined : withGoodElement(operation, body, text)
        return batch === undefined ? [] : [{ name, text: batch, kind }]
      }),
    )
    expect(batches.length).toBeGreaterThan(300)
    for (const [index, { status, body }] of (await answersTo(batches)).entries()) {
      const { name, kind } = batches[index] as (typeof batches)[number]
      const { message, content } = body
      const { received, processed } = content as Record<string, number>
      expect({ name, status, received }).toEqual({ name, status: 200, received: 2 })
      expect(kind === 'wrong' ? [1] : [1, 2], name).toContain(processed)
      if (processed === 1) expect(message).toMatch(/ 1 of 2 refused, the first: \w+\.0/)
    }
  })

  it('can hold what strict JSON cannot', async () => {
    const kinds: BodyMutation['kind'][] = ['deep', 'unstorable']
    const spoilt = createBodyMutations(bodyOf(operation))(wholeBody(operation)).filter(({ kind }) =>
      kinds.includes(kind),
    )
    const answers = await answersTo(spoilt)
    for (const [index, { status, body }] of answers.entries()) {
      const { name, namesField } = spoilt[index] as BodyMutation
      expect([200, 400], name).toContain(status)
      const { field } = body['content'] as { field?: string }
      // The field may also be that of the whole element.
      const isNamed = field === undefined || namesField(field) || name.startsWith(field)
      expect(isNamed, `${name} was answered with the field ${field}`).toBe(true)
    }
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(10)
  })
})

describe('accepted data', () => {
  // A separate database, because the flushers send everything that waits for the analytics engine.
  const harness = useHarness({ settings, db: ownDatabase() })

  const countArrived = async ({ org_id }: Tenant): Promise<number> => {
    const { clickhouse } = harness().stores.analytics
    const tables = ['edge_logs', 'rum_events'].map(async (table) => {
      const count = `select count() as n from ${table} where org_id = {org_id:UUID}`
      return (await clickhouse.query<{ n: number }>(count, { org_id }))[0]?.n ?? 0
    })
    return (await Promise.all(tables)).reduce((sum, count) => sum + count, 0)
  }

  it.each(lenient)('of $name arrives in the analytics engine completely', async (operation) => {
    const tenant = await harness().createTenant()
    const subject = { app: harness().app, credentials: { api_key: tenant.keys.live_secret } }
    const odd = samplesOf(operation, 3).flatMap((body) =>
      createBodyMutations(bodyOf(operation))(body).filter(({ kind }) => kind !== 'wrong'),
    )
    const texts = [
      ...samplesOf(operation, 100).map((body) => JSON.stringify(body)),
      ...odd.map(({ text }) => text),
    ]
    // A repeated body would not be stored again.
    const answers = await sendAll(subject, operation, [...new Set(texts)])
    const processed = answers.reduce((sum, { body }) => {
      const content = body['content'] as { processed?: number }
      return sum + (content.processed ?? 0)
    }, 0)
    expect(processed).toBeGreaterThan(200)

    const patience = { timeout: 15_000, interval: 100 }
    const haveArrived = async () => expect(await countArrived(tenant)).toBe(processed)
    await whileFlushing(harness(), async () => await vi.waitFor(haveArrived, patience))
  })
})

/** The example of the document, with ids of existing records where it needs them. */
async function goodBody(operation: Operation, subject: Subject): Promise<string> {
  const { org_id = '', credentials } = subject
  const owner = { org_id, token: credentials['portal'] ?? '' }
  const mdm = await bodyThatSucceeds({ harness: contract, emulator }, operation.name, owner)
  const [push] = await pushBodiesThatSucceed(contract, operation.name, org_id)
  return ownBody(mdm ?? push ?? exampleOf(operation), subject)
}

const exampleOf = (operation: Operation): unknown => (bodyOf(operation)['examples'] as unknown[])[0]

/** Bodies with every optional member. */
const samplesOf = (operation: Operation, count: number): unknown[] =>
  fc.sample(bodiesOf(operation, { whole: true }), { numRuns: count, seed: SEED })

/**
 * Adds a good element after the spoiled one.
 *
 * @returns undefined when the batch itself was spoiled
 */
function withGoodElement(operation: Operation, body: unknown, text: string): string | undefined {
  const [list = ''] = Object.entries(body as object).at(-1) ?? []
  const elementsOf = (batch: unknown) => (batch as Record<string, unknown> | null)?.[list]
  const spoilt: unknown = JSON.parse(text)
  const elements = elementsOf(spoilt)
  if (!Array.isArray(elements) || elements.length !== 1) return undefined
  const same = { ...(spoilt as object), [list]: elementsOf(body) }
  if (JSON.stringify(same) !== JSON.stringify(body)) return undefined
  const [good] = elementsOf(exampleOf(operation)) as unknown[]
  return text.replace(/\]\}$/, () => `,${JSON.stringify(good)}]}`)
}
