/**
 * The OpenAPI document states every rule: a request that it allows is refused only for a reason that
 * depends on stored data or that a schema cannot express, and each rule that it states is enforced.
 */
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { startAndroidManagement } from '../emulators/android-management/index.ts'
import { openHarness } from './harness.ts'
import {
  type Answer,
  bodiesOf,
  bodyOf,
  RUNS,
  SEED,
  type Subject,
  send,
  withoutLimits,
} from './support/calls.ts'
import { type Operation, operationsOf, readDocument } from './support/document.ts'
import { withoutQuota } from './support/mdm-world.ts'
import { addPushApplication } from './support/push-examples.ts'
import { validatorOf } from './support/schema-rules.ts'
import { valuesOf } from './support/schema-values.ts'

/** Messages of 400 responses to requests that the document allows, each with the reason. */
const REASONS: [message: RegExp, reason: string][] = [
  [/was (already used|used before) for a different /, 'an earlier request had the id'],
  [/does not belong to this organization$/, 'the record does not exist'],
  [/does not name an application of the organization$/, 'the record does not exist'],
  [/^org_id has no enterprise yet/, 'the enterprise has not been created'],
  [/^signup_url_name does not belong to /, 'the signup has not been started'],
  [/^An enterprise is already being created for org_id$/, 'another signup is under way'],
  [/^end_date must not be before start_date$/, 'compares two parameters'],
  [/^start_date must not be in the future$/, 'depends on the clock'],
  [/^start_date must not be more than \d+ (days|hours) before the end$/, 'depends on the clock'],
  [/\.wipeAfterDays must be greater than blockAfterDays$/, 'compares two members'],
  [/^send_at must be at most 90 days ahead$/, 'depends on the clock'],
  [/is too long: the notification has \d+ bytes/, 'concerns the size that a provider measures'],
  [/^url must /, 'the description says it: which hosts are public is not a pattern'],
]

const emulator = await startAndroidManagement({ port: 0 })
afterAll(async () => await emulator.close())
const contract = await openHarness({
  settings: {
    ...withoutLimits(),
    ...withoutQuota(),
    VIGIL_CHECK_DEADLINE_MS: '20',
    VIGIL_ANDROID_MANAGEMENT_URL: emulator.url,
  },
})
afterAll(async () => await contract.close())
const operations = operationsOf(readDocument(contract.app))

async function newSubject(): Promise<Subject> {
  const { org_id, keys } = await contract.createTenant('business')
  const portal = await contract.signIn(org_id)
  return {
    app: contract.app,
    credentials: { api_key: keys.live_secret, public_key: keys.live_public, portal },
    org_id,
  }
}

/** Ids of existing records; others would hide what comes after the search for the record. */
async function ownIds({ path }: Operation, { org_id = '' }: Subject) {
  const { application_id, configuration_id } = /\/(push-sdk|sdk\/push)\//.test(path)
    ? await addPushApplication(contract, org_id)
    : {}
  return { org_id, application_id, push_configuration_id: configuration_id }
}

function withIds(request: object, ids: Record<string, string | undefined>): object {
  const own = Object.entries(request).map(([name, value]: [string, unknown]) => [
    name,
    value === null ? null : (ids[name] ?? value),
  ])
  return Object.fromEntries(own) as object
}

/** Compressed bodies are tested in good-input.test.ts. */
const ENCODING = 'Content-Encoding'

/** Values of the parameters at a place; optional ones may be absent. */
function parametersOf({ parameters }: Operation, place: 'query' | 'header') {
  const those = parameters.filter((one) => one.in === place && one.name !== ENCODING)
  return fc.record(
    Object.fromEntries(those.map(({ name, schema }) => [name, valuesOf(schema).map(String)])),
    { requiredKeys: those.filter(({ required }) => required).map(({ name }) => name) },
  )
}

type Refusal = { message: string; content?: { field?: string } }

/** Refusals of the request, and of the elements of a bulk request. */
function refusalsIn({ status, body }: Answer): Refusal[] {
  const { content, message } = body as Refusal & { content: unknown }
  if (status === 400) return [body as Refusal]
  if (/ \d+ of \d+ refused/.test(message)) return [{ message }]
  return Array.isArray(content)
    ? (content as (Refusal & { code?: string })[]).filter(({ code }) => code === 'invalid_request')
    : []
}

describe.each(operations)('$name', (operation) => {
  it('accepts the requests that the document allows', async () => {
    const subject = await newSubject()
    const ids = await ownIds(operation, subject)
    const requests = fc.record({
      query: parametersOf(operation, 'query'),
      headers: parametersOf(operation, 'header'),
      body: operation.body ? bodiesOf(operation) : fc.constant(undefined),
    })
    await fc.assert(
      fc.asyncProperty(requests, async ({ query, headers, body }) => {
        const own = withIds(query, ids) as Record<string, string>
        const answer = await send(subject, operation, {
          query: new URLSearchParams(own).toString(),
          headers,
          ...(body !== undefined && { body: JSON.stringify(withIds(body as object, ids)) }),
        })
        const unexplained = refusalsIn(answer).filter(
          ({ message }) => !REASONS.some(([known]) => known.test(message)),
        )
        expect(unexplained).toEqual([])
      }),
      { numRuns: 2 * RUNS, seed: SEED },
    )
  })
})

const APPLICATION = { application_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07' }
const PUSH = { ...APPLICATION, all: true, title: 'Open on Sunday' }
const EVENT_TIME = { timestamp: '2026-03-02T10:15:00Z' }
const inSession = (event: object) => ({ session_id: 's', events: [{ ...EVENT_TIME, ...event }] })
const logAt = (timestamp: unknown) => ({
  logs: [{ device_id: 'till-1', level: 'info', message: 'x', timestamp }],
})
const policyOf = (policy_json: object) => ({
  name: 'Tills',
  management_mode: 'fully_managed',
  policy_json,
})
const enforced = (rule: object) => policyOf({ policyEnforcementRules: [rule] })
const actions = { blockAction: { blockAfterDays: 1 }, wipeAction: { wipeAfterDays: 2 } }

/** Bodies that break one rule that schemas of the validator do not have, and the field at fault. */
const BROKEN: [operation: string, body: object, field: string][] = [
  ['POST /check', {}, 'email'],
  ['POST /check', { email: null, phone: null, device: null }, 'email'],
  ['POST /check', { email: 'ann@example.com', ip_address: null }, 'ip_address'],
  ['POST /push-sdk/messages', { all: true, title: 'x' }, 'application_id'],
  [
    'POST /push-sdk/messages',
    { ...PUSH, push_configuration_id: APPLICATION.application_id },
    'push_configuration_id',
  ],
  ['POST /push-sdk/messages', { ...APPLICATION, title: 'x' }, 'all'],
  ['POST /push-sdk/messages', { ...PUSH, external_user_ids: ['x'] }, 'external_user_ids'],
  ['POST /push-sdk/messages', { ...APPLICATION, all: true, data: {} }, 'title'],
  ['POST /push-sdk/messages', { ...PUSH, image: 'http://img.example/1.png' }, 'image'],
  ['POST /push-sdk/messages', { ...PUSH, image: 'https://' }, 'image'],
  ['POST /rum/events', inSession({ type: 'view', view: {} }), 'events.0.view.url'],
  ['POST /rum/events', inSession({ type: 'view', view: { url: '' } }), 'events.0.view.url'],
  ['POST /rum/events', inSession({ type: 'view', view: null }), 'events.0.view'],
  ['POST /rum/events', inSession({ type: 'error' }), 'events.0.error'],
  [
    'POST /rum/events',
    inSession({ type: 'vital', vital: { name: 'cls', value: 101 } }),
    'events.0.vital.value',
  ],
  [
    'POST /rum/events',
    inSession({ type: 'view', view: { url: '/' }, timestamp: '0000-12-31' }),
    'events.0.timestamp',
  ],
  ['POST /edge/logs', logAt('1e9'), 'logs.0.timestamp'],
  ['POST /edge/logs', logAt('2026-02-30'), 'logs.0.timestamp'],
  ['POST /edge/logs', logAt(1e20), 'logs.0.timestamp'],
  ['POST /edge/logs', logAt('99999999999999999999'), 'logs.0.timestamp'],
  [
    'POST /edge/logs',
    { logs: [{ device_id: 'a\0', level: 'info', message: 'x' }] },
    'logs.0.device_id',
  ],
  ['POST /mdm/enterprise/signup-url', { callback_url: 'ftp://example.com' }, 'callback_url'],
  ['POST /mdm/enterprise/signup-url', { callback_url: '/connected' }, 'callback_url'],
  ['POST /mdm/enrollment-tokens', { policy_id: 'x', duration_hours: 0.0165 }, 'duration_hours'],
  ['POST /mdm/enrollment-tokens', { policy_id: 'x', duration_hours: 0 }, 'duration_hours'],
  ['POST /mdm/devices/{device_id}/commands', { type: 'CLEAR_APP_DATA' }, 'package_names'],
  [
    'POST /mdm/devices/{device_id}/commands',
    { type: 'CLEAR_APP_DATA', package_names: ['till'] },
    'package_names.0',
  ],
  [
    'POST /mdm/devices/{device_id}/commands',
    { type: 'LOCK', package_names: ['com.example.till'] },
    'package_names',
  ],
  ['POST /mdm/devices/{device_id}/commands', { type: 'LOCK', new_password: 'x' }, 'new_password'],
  [
    'POST /mdm/groups/{group_id}/commands',
    { type: 'CLEAR_APP_DATA', package_names: ['com.example.till'], new_password: 'x' },
    'new_password',
  ],
  ['POST /mdm/policies', policyOf({ name: 'x' }), 'policy_json.name'],
  ['POST /mdm/policies', policyOf({ screenCapture: true }), 'policy_json.screenCapture'],
  [
    'POST /mdm/policies',
    enforced({ ...actions, settingName: 'version' }),
    'policy_json.policyEnforcementRules.0.settingName',
  ],
  [
    'POST /mdm/policies',
    enforced({ settingName: 'applications', blockAction: {}, wipeAction: {} }),
    'policy_json.policyEnforcementRules.0.wipeAction.wipeAfterDays',
  ],
  ['POST /profiles', { external_id: 'x', '\0': 1 }, 'body'],
  ['POST /profiles', { external_id: 'a\0' }, 'external_id'],
  ['POST /profiles', { external_id: 'x', unknown: ['\0'] }, 'unknown.0'],
]

describe('every rule that only the document states', () => {
  it.each(BROKEN)('is enforced: %s with %j names %s', async (name, body, field) => {
    const operation = operations.find((one) => one.name === name) as Operation
    expect(validatorOf(bodyOf(operation))(body)).toBe(false)
    const answer = await send(await newSubject(), operation, { body: JSON.stringify(body) })
    expect(answer).toMatchObject({ status: 400, body: { content: { field } } })
  })

  const KEYS = [
    ['order-8841', true],
    ['"order-8841"', true],
    [String.raw`"a\"b\\"`, true],
    ['a"b', true],
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    ['"open', false],
    ['""', false],
    ['two words', false],
    ['"two words"', false],
    [String.raw`"a\b"`, false],
  ] as const
  it.each(KEYS)('is that of the header: Idempotency-Key %s', async (key, isAllowed) => {
    const operation = operations.find(({ name }) => name.endsWith('messages')) as Operation
    const header = operation.parameters.find(({ name }) => name === 'Idempotency-Key')
    expect(validatorOf(header?.schema ?? {})(key)).toBe(isAllowed)
    const sent = { body: JSON.stringify(PUSH), headers: { 'Idempotency-Key': key } }
    const { body } = await send(await newSubject(), operation, sent)
    const { field } = body['content'] as { field: string }
    expect(field).toBe(isAllowed ? 'application_id' : 'Idempotency-Key')
  })
})
