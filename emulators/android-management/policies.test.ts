import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'
import type { Json } from './resources.ts'

let emulator: AndroidEmulator
let client: Client
let enterprise: string

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
  enterprise = await client.createEnterprise()
})
afterAll(() => emulator.close())

const patch = (path: string, body: Json) =>
  client.call('PATCH', `${enterprise}/policies/${path}`, body)

describe('the version of a policy', () => {
  test('starts at 1 and rises with each change', async () => {
    expect((await patch('rising', { cameraDisabled: true })).body).toEqual({
      name: `${enterprise}/policies/rising`,
      version: '1',
      cameraDisabled: true,
    })
    expect((await patch('rising', { cameraDisabled: false })).body['version']).toBe('2')
  })

  test('does not rise if nothing changes, which is answered with 304', async () => {
    await patch('same', {
      cameraDisabled: true,
      applications: [{ packageName: 'a', disabled: true }],
    })
    const body = { applications: [{ disabled: true, packageName: 'a' }], cameraDisabled: true }
    expect(await patch('same', { ...body, version: '7', name: 'x' })).toEqual({
      status: 304,
      body: {},
    })
    const { body: read } = await client.call('GET', `${enterprise}/policies/same`)
    expect(read['version']).toBe('1')
  })
})

describe('a policy', () => {
  test('is replaced without a mask, and changed in part with one', async () => {
    const settings = { softwareInfoEnabled: true, memoryInfoEnabled: true }
    await patch('parts', { cameraDisabled: true, statusReportingSettings: settings })
    const mask = 'statusReportingSettings.memoryInfoEnabled,funDisabled'
    const { body: part } = await patch(`parts?updateMask=${mask}`, { funDisabled: true })
    expect(part).toMatchObject({ cameraDisabled: true, funDisabled: true, version: '2' })
    expect(part['statusReportingSettings']).toEqual({ softwareInfoEnabled: true })
    const { body: whole } = await patch('parts', { funDisabled: true })
    expect(whole).toEqual({ name: part['name'], version: '3', funDisabled: true })
  })

  test('cannot be deleted while devices refer to it', async () => {
    await patch('used', {})
    const { value } = await client.createToken(enterprise, { policyName: 'used' })
    const { device_name } = emulator.control.enrollPhone({
      token_value: value,
      is_automatic: false,
    })
    const path = `${enterprise}/policies/used`
    expect(await client.call('DELETE', path)).toMatchObject({
      status: 400,
      body: { error: { status: 'FAILED_PRECONDITION' } },
    })
    await client.call('DELETE', device_name ?? '')
    expect((await client.call('DELETE', path)).status).toBe(200)
    expect((await client.call('GET', path)).status).toBe(404)
  })

  test('that changes is applied and reported by its phones', async () => {
    await patch('living', {})
    const { value } = await client.createToken(enterprise, { policyName: 'living' })
    const { device_name } = emulator.control.enrollPhone({ token_value: value, reaction_ms: 0 })
    await client.drain(2)
    await patch('living', { cameraDisabled: true })
    // Earlier reports may be delivered first or together with it.
    const isNew = ({ data }: { data: Json }) => data['appliedPolicyVersion'] === '2'
    const received = await client.drain(1)
    while (!received.some(isNew)) received.push(...(await client.drain(1)))
    const message = received.find(isNew)
    expect(message).toMatchObject({
      type: 'STATUS_REPORT',
      data: {
        name: device_name,
        appliedPolicyName: `${enterprise}/policies/living`,
        appliedPolicyVersion: '2',
      },
    })
  })

  test('has an id without spaces', async () => {
    expect((await patch('a%20b', {})).status).toBe(400)
  })
})

describe('the list of policies', () => {
  test('has pages in the order of creation', async () => {
    const name = await client.createEnterprise()
    for (let at = 0; at < 12; at += 1) await client.createPolicy(name, `p${at}`)
    const list = (query: string) =>
      client.call<{ policies: Json[]; nextPageToken?: string }>('GET', `${name}/policies${query}`)
    const first = await list('')
    expect(first.body.policies).toHaveLength(10)
    const second = await list(`?pageToken=${first.body.nextPageToken}`)
    expect(second.body.policies.map((policy) => policy['name'])).toEqual([
      `${name}/policies/p10`,
      `${name}/policies/p11`,
    ])
    expect(second.body.nextPageToken).toBeUndefined()
    expect((await list('?pageToken=other')).status).toBe(400)
    expect((await list('?pageSize=-1')).status).toBe(400)
  })
})
