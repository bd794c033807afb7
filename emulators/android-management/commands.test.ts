import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, type EnrollRequest, startAndroidManagement } from './index.ts'
import type { Json, Operation } from './resources.ts'

let emulator: AndroidEmulator
let client: Client
let enterprise: string
let token: string

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
  enterprise = await client.createEnterprise()
  await client.createPolicy(enterprise, 'default')
  token = (await client.createToken(enterprise, { duration: '99999999s' })).value
})
afterAll(() => emulator.close())

/** A fully managed phone that is not automatic, with its policy applied. */
function phoneOf(how: Partial<EnrollRequest> = {}) {
  const { id } = emulator.control.enrollPhone({ token_value: token, is_automatic: false, ...how })
  const phone = emulator.control.applyPolicy(id)
  return { id, name: phone.device_name ?? '' }
}

const operation = async (name: string) => (await client.call<Operation>('GET', name)).body

/** The notifications about an operation that is done. */
async function notificationsOf(name: string): Promise<Json[]> {
  const all = await client.drain(1)
  return all.map(({ data }) => data).filter((data) => data['name'] === name)
}

describe('issueCommand', () => {
  test('answers with an operation that is not done and expires after ten minutes', async () => {
    const { id, name } = phoneOf()
    const { status, body } = await client.issue(name, { type: 'LOCK' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: expect.stringMatching(`^${name}/operations/\\d+$`) as string,
      metadata: {
        '@type': 'type.googleapis.com/google.android.devicemanagement.v1.Command',
        type: 'LOCK',
        duration: '600s',
      },
      done: false,
    })
    expect(emulator.control.getPhone(id).pending_commands).toMatchObject([
      { name: body.name, type: 'LOCK' },
    ])
  })

  test('sends a notification when the phone has executed the command', async () => {
    const { id, name } = phoneOf()
    const { body } = await client.issue(name, { type: 'REBOOT' })
    await client.drain()
    emulator.control.acknowledgeCommand(id, body.name)
    const [done] = await notificationsOf(body.name)
    expect(done).toMatchObject({ done: true, response: {} })
    expect(await operation(body.name)).toEqual(done)
    expect(emulator.control.getPhone(id).pending_commands).toEqual([])
    expect(() => emulator.control.acknowledgeCommand(id, body.name)).toThrow('not found')
  })

  test('is executed by an automatic phone, in the order of the commands', async () => {
    const { id, name } = phoneOf({ is_silent: false })
    emulator.control.changePhone(id, { is_silent: true, is_automatic: true, reaction_ms: 0 })
    await client.drain()
    const first = await client.issue(name, { type: 'LOCK' })
    const second = await client.issue(name, { type: 'REBOOT' })
    emulator.control.changePhone(id, { is_silent: false })
    const done = (await client.drain(2)).filter(({ type }) => type === 'COMMAND')
    expect(done.map(({ data }) => data['name'])).toEqual([first.body.name, second.body.name])
  })

  test('derives the type from the parameters', async () => {
    const { name } = phoneOf()
    const wipe = await client.issue(name, { wipeParams: { wipeDataFlags: ['WIPE_ESIMS'] } })
    expect(wipe.body.metadata.type).toBe('WIPE')
    expect((await client.issue(name, { type: 'LOCK', wipeParams: {} })).status).toBe(400)
  })

  test.each<[string, Json]>([
    ['no type', {}],
    ['the unspecified type', { type: 'COMMAND_TYPE_UNSPECIFIED' }],
    ['an unknown type', { type: 'EXPLODE' }],
    ['no packages to clear', { type: 'CLEAR_APP_DATA' }],
    ['a duration of zero', { type: 'LOCK', duration: '0s' }],
    ['a password for another type', { type: 'LOCK', newPassword: '123456' }],
    ['too long a reason', { wipeParams: { wipeReason: { defaultMessage: 'x'.repeat(201) } } }],
  ])('refuses %s and does not count it', async (_name, command) => {
    const { name } = phoneOf()
    expect(await client.issue(name, command)).toMatchObject({
      status: 400,
      body: { error: { status: 'INVALID_ARGUMENT' } },
    })
    expect(emulator.control.truth().issued.filter(({ device }) => device === name)).toEqual([])
  })

  test('counts accepted commands by device and type', async () => {
    const { name } = phoneOf()
    await client.issue(name, { type: 'LOCK' })
    await client.issue(name, { type: 'LOCK' })
    await client.issue(name, { type: 'REBOOT' })
    expect(emulator.control.truth().issued.filter(({ device }) => device === name)).toEqual([
      { device: name, type: 'LOCK', count: 2 },
      { device: name, type: 'REBOOT', count: 1 },
    ])
  })

  test('never shows a password', async () => {
    const { id, name } = phoneOf()
    const { body } = await client.issue(name, {
      type: 'RESET_PASSWORD',
      newPassword: 'correct horse',
      resetPasswordFlags: ['LOCK_NOW'],
    })
    emulator.control.acknowledgeCommand(id, body.name)
    expect(JSON.stringify(emulator.control.truth())).not.toContain('correct horse')
    expect(JSON.stringify(await notificationsOf(body.name))).toContain('LOCK_NOW')
  })
})

describe('a command fails', () => {
  test.each([
    ['REBOOT', 'PERSONALLY_OWNED'],
    ['RELINQUISH_OWNERSHIP', 'PERSONALLY_OWNED'],
    ['RELINQUISH_OWNERSHIP', 'COMPANY_OWNED'],
    ['START_LOST_MODE', 'PERSONALLY_OWNED'],
  ] as const)(
    'immediately: %s of a %s phone, because of its management mode',
    async (type, ownership) => {
      const { name } = phoneOf({ ownership })
      await client.drain()
      const { body } = await client.issue(name, { type })
      expect(body).toMatchObject({
        done: true,
        metadata: { errorCode: 'MANAGEMENT_MODE' },
        error: { code: 9 },
      })
      expect(await notificationsOf(body.name)).toEqual([body])
    },
  )

  test('because of a PIN that is too short for Android 14', async () => {
    const command = { type: 'RESET_PASSWORD', newPassword: '1234' }
    const recent = await client.issue(phoneOf({ android_version: '14' }).name, command)
    expect(recent.body).toMatchObject({ done: true, metadata: { errorCode: 'INVALID_VALUE' } })
    const older = await client.issue(phoneOf({ android_version: '13' }).name, command)
    expect(older.body.done).toBe(false)
  })

  test('because of an old version of Android, when the phone executes it', async () => {
    const { id, name } = phoneOf({ android_version: '8.1' })
    const clearAppsDataParams = { packageNames: ['com.example.app'] }
    const { body } = await client.issue(name, { clearAppsDataParams })
    expect(body.done).toBe(false)
    const done = emulator.control.acknowledgeCommand(id, body.name)
    expect(done).toMatchObject({ done: true, metadata: { errorCode: 'API_LEVEL' } })
  })

  test('when the control interface demands it', async () => {
    const { id, name } = phoneOf()
    const { body } = await client.issue(name, { type: 'WIPE' })
    await client.drain()
    emulator.control.failCommand(id, body.name, { error_code: 'UNKNOWN' })
    expect(await notificationsOf(body.name)).toMatchObject([
      { done: true, metadata: { errorCode: 'UNKNOWN' }, error: { code: 2 } },
    ])
    expect((await client.device(name)).status).toBe(200)
  })

  test('when it expires by the emulated clock', async () => {
    const { id, name } = phoneOf()
    const short = await client.issue(name, { type: 'LOCK' })
    const long = await client.issue(name, { type: 'LOCK', duration: '604800s' })
    await client.drain()
    emulator.control.advanceClock({ advance_seconds: 600 })
    expect(await notificationsOf(short.body.name)).toMatchObject([
      { done: true, error: { code: 4 } },
    ])
    expect(() => emulator.control.acknowledgeCommand(id, short.body.name)).toThrow('not found')
    expect((await operation(long.body.name)).done).toBe(false)
  })

  test('when it is canceled, unless it is done', async () => {
    const { id, name } = phoneOf()
    const { body } = await client.issue(name, { type: 'WIPE' })
    expect((await client.call('POST', `${body.name}:cancel`)).body).toEqual({})
    expect(await operation(body.name)).toMatchObject({ done: true, error: { code: 1 } })
    expect(await operation(body.name)).not.toHaveProperty('metadata.errorCode')
    const lock = await client.issue(name, { type: 'LOCK' })
    emulator.control.acknowledgeCommand(id, lock.body.name)
    await client.call('POST', `${lock.body.name}:cancel`)
    expect(await operation(lock.body.name)).toMatchObject({ done: true, response: {} })
  })
})

describe('the effect of a command', () => {
  test.each([
    ['WIPE', {}],
    ['RELINQUISH_OWNERSHIP', { allowPersonalUsage: 'PERSONAL_USAGE_ALLOWED' }],
  ])('%s ends the management, with a last report', async (type, how) => {
    const { value } = await client.createToken(enterprise, how)
    const { id, name } = phoneOf({ token_value: value, ownership: 'COMPANY_OWNED' })
    const { body } = await client.issue(name, { type })
    expect((await client.device(name)).status).toBe(200)
    await client.drain()
    emulator.control.acknowledgeCommand(id, body.name)
    expect(await client.drain(2)).toMatchObject([
      { type: 'COMMAND', data: { name: body.name, done: true } },
      { type: 'STATUS_REPORT', data: { name, state: 'DELETED', appliedState: 'DELETED' } },
    ])
    expect((await client.device(name)).status).toBe(404)
    expect((await operation(body.name)).done).toBe(true)
  })

  test('CLEAR_APP_DATA has a result for each package', async () => {
    const { id, name } = phoneOf()
    const clearAppsDataParams = { packageNames: ['com.example.a', 'com.example.b'] }
    const { body } = await client.issue(name, { type: 'CLEAR_APP_DATA', clearAppsDataParams })
    const { metadata } = emulator.control.acknowledgeCommand(id, body.name)
    expect(metadata['clearAppsDataStatus']).toEqual({
      results: {
        'com.example.a': { clearingResult: 'SUCCESS' },
        'com.example.b': { clearingResult: 'SUCCESS' },
      },
    })
  })

  test('START_LOST_MODE and STOP_LOST_MODE change the state', async () => {
    const { id, name } = phoneOf()
    const start = await client.issue(name, { type: 'START_LOST_MODE' })
    emulator.control.acknowledgeCommand(id, start.body.name)
    expect((await client.device(name)).body.state).toBe('LOST')
    const stop = await client.issue(name, { type: 'STOP_LOST_MODE' })
    emulator.control.acknowledgeCommand(id, stop.body.name)
    expect(emulator.control.report(id).device).toMatchObject({
      state: 'ACTIVE',
      appliedState: 'ACTIVE',
    })
  })
})

test('operations are listed and filtered by whether they are done', async () => {
  const { id, name } = phoneOf()
  const names: string[] = []
  for (let at = 0; at < 3; at += 1)
    names.push((await client.issue(name, { type: 'LOCK' })).body.name)
  emulator.control.acknowledgeCommand(id, names[0] ?? '')
  const list = async (query: string) => {
    const { body } = await client.call<{ operations: Operation[] }>(
      'GET',
      `${name}/operations${query}`,
    )
    return body.operations?.map((each) => each.name)
  }
  expect(await list('')).toEqual(names)
  expect(await list('?filter=done=true')).toEqual(names.slice(0, 1))
  expect(await list('?filter=done=false')).toEqual(names.slice(1))
  expect((await client.call('GET', `${name}/operations?filter=x`)).status).toBe(400)
})
