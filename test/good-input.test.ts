/**
 * What the document allows is taken, however odd it is, and what was taken arrives: the other half of
 * bad-input.test.ts. Driven by the OpenAPI document: every operation is walked, those added later too.
 */
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startAndroidManagement } from '../emulators/android-management/index.ts'
import { ownDatabase } from './database.ts'
import { openHarness, type Tenant, useHarness } from './harness.ts'
import { countRows } from './support/books.ts'
import {
  bodiesOf,
  bodyOf,
  SEED,
  type Subject,
  send,
  sendAll,
  wholeBody,
  withoutLimits,
} from './support/calls.ts'
import { type Operation, operationsOf, readDocument } from './support/document.ts'
import { bodyThatSucceeds } from './support/mdm-examples.ts'
import { withoutQuota } from './support/mdm-world.ts'
import { addPushApplication, pushBodiesThatSucceed } from './support/push-examples.ts'
import { createSpoil, type SpoiltBody } from './support/spoil.ts'

const STATUSES = [200, 400, 403, 404]
const emulator = await startAndroidManagement({ port: 0 })
afterAll(async () => await emulator.close())
const settings = {
  ...withoutLimits(),
  ...withoutQuota(),
  VIGIL_CHECK_DEADLINE_MS: '20',
  VIGIL_ANDROID_MANAGEMENT_URL: emulator.url,
}

/** They say something and keep nothing of it. */
const LEAVE_NOTHING = new Set(['POST /push-sdk/identity-token'])

// The names of the tests have to be known before anything runs, so the document is read here.
const contract = await openHarness({ settings })
const operations = operationsOf(readDocument(contract.app)).filter(({ body }) => body)
afterAll(async () => await contract.close())

const lenient = operations.filter(({ body_rules }) => body_rules.is_lenient)

async function newSubject(): Promise<Subject> {
  const { org_id, keys } = await contract.createTenant('business')
  const portal = await contract.signIn(org_id)
  return { app: contract.app, credentials: { api_key: keys.live_secret, portal }, org_id }
}

/** Organisations, and what else is given of its own, that a body names are those of the sender. */
function ownBody(body: unknown, { org_id }: Subject, given: Record<string, string> = {}): string {
  const own = Object.entries({ org_id, ...given }).filter(([name]) => name in (body as object))
  return JSON.stringify({ ...(body as object), ...Object.fromEntries(own) })
}

/** What random bodies cannot know. */
async function ownOf({ name }: Operation, { org_id = '' }: Subject) {
  if (!name.startsWith('POST /push-sdk/')) return {}
  const { application_id, configuration_id } = await addPushApplication(contract, org_id)
  return { application_id, push_configuration_id: configuration_id }
}

const booksOf = async ({ org_id = '' }: Subject) => await countRows(contract.stores.db, org_id)

describe.each(operations)('$name takes', (operation) => {
  const { path, body_rules } = operation
  const { types, takes_gzip } = body_rules

  it('whatever its schema allows, without ever failing', async () => {
    const subject = await newSubject()
    const own = await ownOf(operation, subject)
    await fc.assert(
      fc.asyncProperty(bodiesOf(operation), async (body) => {
        const { status } = await send(subject, operation, { body: ownBody(body, subject, own) })
        expect(STATUSES).toContain(status)
      }),
      { numRuns: 60, seed: SEED },
    )
  })

  it('the oddest values that its schema allows, without ever failing', async () => {
    const subject = await newSubject()
    const wholes = await pushBodiesThatSucceed(contract, operation.name, subject.org_id ?? '')
    const spoil = createSpoil(bodyOf(operation))
    const spoilt = (wholes.length > 0 ? wholes : [wholeBody(operation)]).flatMap(spoil)
    const bodies = spoilt.filter(({ kind }) => kind === 'odd')
    expect(bodies.length).toBeGreaterThan(0)
    const texts = bodies.map(({ text }) => ownBody(JSON.parse(text), subject))
    const answers = await sendAll(subject, operation, texts)
    for (const [index, { status }] of answers.entries()) {
      expect(STATUSES, bodies[index]?.name).toContain(status)
    }
    if (wholes.length > 0) expect(answers.some(({ status }) => status === 200)).toBe(true)
  })

  // No record has the identifier that is sent.
  const isAboutRecord = path.includes('{')

  if (!isAboutRecord)
    it('the example of the document, which then is in the books', async () => {
      const subject = await newSubject()
      const body = await goodBody(operation, subject)
      const before = await booksOf(subject)
      expect(await send(subject, operation, { body })).toMatchObject({ status: 200 })
      const isSame = isDeepStrictEqual(await booksOf(subject), before)
      expect(isSame).toBe(LEAVE_NOTHING.has(operation.name))
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
      // The same body is the same, however it comes.
      expect({ type, ...compressed }).toEqual({ type, status, body: answer })
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

  it('loses what is bad in it, and nothing else', async () => {
    const batches = samplesOf(operation, 3).flatMap((body) =>
      createSpoil(bodyOf(operation))(body).flatMap(({ name, text, kind }) => {
        const batch = kind === 'odd' ? undefined : besideGood(operation, body, text)
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

  it('may hold what strict JSON does not', async () => {
    const kinds: SpoiltBody['kind'][] = ['deep', 'unstorable']
    const spoilt = createSpoil(bodyOf(operation))(wholeBody(operation)).filter(({ kind }) =>
      kinds.includes(kind),
    )
    const answers = await answersTo(spoilt)
    for (const [index, { status, body }] of answers.entries()) {
      const { name, namesField } = spoilt[index] as SpoiltBody
      expect([200, 400], name).toContain(status)
      const { field } = body['content'] as { field?: string }
      // Or the element as a whole.
      const isNamed = field === undefined || namesField(field) || name.startsWith(field)
      expect(isNamed, `${name} was answered with the field ${field}`).toBe(true)
    }
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(10)
  })
})

describe('what was taken', () => {
  // Its own database, because what waits for the analytics engine is sent on here.
  const harness = useHarness({ settings, db: ownDatabase() })

  const countArrived = async ({ org_id }: Tenant): Promise<number> => {
    const { clickhouse } = harness().stores.analytics
    const tables = ['edge_logs', 'rum_events'].map(async (table) => {
      const count = `select count() as n from ${table} where org_id = {org_id:UUID}`
      return (await clickhouse.query<{ n: number }>(count, { org_id }))[0]?.n ?? 0
    })
    return (await Promise.all(tables)).reduce((sum, count) => sum + count, 0)
  }

  it.each(lenient)('by $name arrives at the analytics engine, all of it', async (operation) => {
    const tenant = await harness().createTenant()
    const subject = { app: harness().app, credentials: { api_key: tenant.keys.live_secret } }
    const odd = samplesOf(operation, 3).flatMap((body) =>
      createSpoil(bodyOf(operation))(body).filter(({ kind }) => kind !== 'wrong'),
    )
    const texts = [
      ...samplesOf(operation, 100).map((body) => JSON.stringify(body)),
      ...odd.map(({ text }) => text),
    ]
    // The same body again would be answered the same, and not stored.
    const answers = await sendAll(subject, operation, [...new Set(texts)])
    const processed = answers.reduce((sum, { body }) => {
      const content = body['content'] as { processed?: number }
      return sum + (content.processed ?? 0)
    }, 0)
    expect(processed).toBeGreaterThan(200)

    const { flushers } = harness().services.telemetry
    for (const flusher of flushers) flusher.start()
    try {
      await vi.waitFor(async () => expect(await countArrived(tenant)).toBe(processed), {
        timeout: 15_000,
        interval: 100,
      })
    } finally {
      await Promise.all(flushers.map(async (flusher) => await flusher.stop(5000)))
    }
  })
})

/** The example of the document, where it needs them with records that are really there. */
async function goodBody(operation: Operation, subject: Subject): Promise<string> {
  const { org_id = '', credentials } = subject
  const owner = { org_id, token: credentials['portal'] ?? '' }
  const given = await bodyThatSucceeds({ harness: contract, emulator }, operation.name, owner)
  const [push] = await pushBodiesThatSucceed(contract, operation.name, org_id)
  return ownBody(given ?? push ?? exampleOf(operation), subject)
}

const exampleOf = (operation: Operation): unknown => (bodyOf(operation)['examples'] as unknown[])[0]

/** With every optional member, of all kinds that there are. */
const samplesOf = (operation: Operation, count: number): unknown[] =>
  fc.sample(bodiesOf(operation, { whole: true }), { numRuns: count, seed: SEED })

/**
 * The element that was spoilt, and after it a good one. Undefined when it was the batch itself that
 * was spoilt.
 */
function besideGood(operation: Operation, body: unknown, text: string): string | undefined {
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
