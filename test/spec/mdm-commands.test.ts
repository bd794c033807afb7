/** Specification, "MDM": commands, the devices that support them, and their states (OP-28, OP-77). */

import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Command } from '../../src/modules/mdm/commands/schema.ts'
import { COMMAND_TYPES, type CommandType } from '../../src/modules/mdm/tables.ts'
import { HOUR_MS } from '../../src/platform/time-units.ts'
import {
  createReadyFleet,
  type Enrolled,
  type Fleet,
  type JsonObject,
  post,
  remove,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld()
const WAITING = { is_automatic: false } as const

let fleet: Fleet & { policy_id: string }
let profile_policy_id: string
beforeAll(async () => {
  fleet = await createReadyFleet(world())
  profile_policy_id = (await fleet.createPolicy({ management_mode: 'work_profile' })).id
})
afterEach(() => void world().control.setFaults({}))

type Kind = 'fully_managed' | 'company_profile' | 'personal_profile'
const enroll = async (kind: Kind, phone: JsonObject = {}): Promise<Enrolled> => {
  if (kind === 'fully_managed') return await fleet.enroll(fleet.policy_id, phone)
  const ownership = kind === 'company_profile' ? 'COMPANY_OWNED' : 'PERSONALLY_OWNED'
  return await fleet.enroll(profile_policy_id, { ownership, ...phone })
}
const bodyOf = (type: string): JsonObject =>
  type === 'CLEAR_APP_DATA' ? { type, package_names: ['com.example.till'] } : { type }
const refusal = async (deviceId: string, body: JsonObject) => {
  const { status, body: answer } = await fleet.send(post(`/devices/${deviceId}/commands`, body))
  expect(status, answer.message).toBe(400)
  expect(answer).toMatchObject({ success: false, code: 'invalid_request' })
  return { field: answer.content.field, message: answer.message }
}
const commandOf = async (deviceId: string, id: string): Promise<Command | undefined> =>
  (await fleet.device(deviceId)).commands.find((command) => command.id === id)
const pendingOf = (phoneId: string) =>
  world()
    .control.getPhone(phoneId)
    .pending_commands.map(({ type }) => type)
const issued = (deviceName: string | null) =>
  world()
    .control.truth()
    .issued.filter(({ device }) => device === deviceName)
/** Sends a command to a phone that does not react automatically. */
async function sentTo(kind: Kind, body: JsonObject) {
  const enrolled = await enroll(kind)
  world().control.changePhone(enrolled.phone.id, WAITING)
  const { id } = await fleet.command(enrolled.device.id, body)
  await world().settle()
  const [pending] = world().control.getPhone(enrolled.phone.id).pending_commands
  if (!pending) throw new Error('the command is pending at the phone')
  return { ...enrolled, id, operation: pending.id }
}

describe('a command', () => {
  it('is one of the documented types', async () => {
    expect(COMMAND_TYPES).toEqual([
      'LOCK',
      'REBOOT',
      'RESET_PASSWORD',
      'RELINQUISH_OWNERSHIP',
      'CLEAR_APP_DATA',
      'WIPE',
    ])
    const { device } = await enroll('fully_managed')
    for (const body of [{}, { type: 'lock' }, { type: 'EXPLODE' }, { type: null }]) {
      expect((await refusal(device.id, body)).field).toBe('type')
    }
  })

  const ACCEPTED: [Kind, CommandType][] = [
    ['fully_managed', 'LOCK'],
    ['fully_managed', 'REBOOT'],
    ['fully_managed', 'RESET_PASSWORD'],
    ['fully_managed', 'CLEAR_APP_DATA'],
    ['fully_managed', 'WIPE'],
    ['company_profile', 'LOCK'],
    ['company_profile', 'RESET_PASSWORD'],
    ['company_profile', 'CLEAR_APP_DATA'],
    ['company_profile', 'RELINQUISH_OWNERSHIP'],
    ['company_profile', 'WIPE'],
    ['personal_profile', 'LOCK'],
    ['personal_profile', 'RESET_PASSWORD'],
    ['personal_profile', 'CLEAR_APP_DATA'],
    ['personal_profile', 'WIPE'],
  ]
  it.each(ACCEPTED)('for a %s device can be %s, and is run', async (kind, type) => {
    const { device, phone } = await enroll(kind)
    const command = await fleet.command(device.id, bodyOf(type))
    expect(command).toMatchObject({
      device_id: device.id,
      group_command_id: null,
      type,
      status: 'queued',
      error: null,
      sent_at: null,
      completed_at: null,
    })
    await world().settle()
    expect(await commandOf(device.id, command.id)).toMatchObject({
      status: 'acknowledged',
      error: null,
      sent_at: expect.any(String) as string,
      completed_at: expect.any(String) as string,
    })
    expect(issued(phone.device_name)).toMatchObject([{ type, count: 1 }])
  })

  it.each<[Kind, CommandType, RegExp]>([
    ['fully_managed', 'RELINQUISH_OWNERSHIP', /fully managed.*WIPE/],
    ['company_profile', 'REBOOT', /fully managed.*LOCK/],
    ['personal_profile', 'REBOOT', /fully managed.*LOCK/],
    ['personal_profile', 'RELINQUISH_OWNERSHIP', /personally owned.*WIPE.*work profile/],
  ])('for a %s device cannot be %s, and the error says why', async (kind, type, why) => {
    const { device } = await enroll(kind)
    const { field, message } = await refusal(device.id, bodyOf(type))
    expect(field).toBe('type')
    expect(message).toMatch(why)
    expect((await fleet.device(device.id)).commands).toEqual([])
  })

  it('is refused for an Android version that does not support it', async () => {
    const { device } = await enroll('fully_managed', { android_version: '8' })
    const { field, message } = await refusal(device.id, bodyOf('CLEAR_APP_DATA'))
    expect({ field, message }).toEqual({
      field: 'type',
      message: expect.stringContaining('Android 9') as string,
    })
  })

  it.each<[string, JsonObject, string]>([
    ['no apps', { type: 'CLEAR_APP_DATA' }, 'package_names'],
    ['an empty list', { type: 'CLEAR_APP_DATA', package_names: [] }, 'package_names'],
    [
      'an invalid name of an app',
      { type: 'CLEAR_APP_DATA', package_names: ['com.example.till', 'till'] },
      'package_names.1',
    ],
    ['apps for another type', { type: 'LOCK', package_names: ['com.example'] }, 'package_names'],
    ['a password for another type', { type: 'LOCK', new_password: '123456' }, 'new_password'],
    ['an empty password', { type: 'RESET_PASSWORD', new_password: '' }, 'new_password'],
  ])('is refused with %s', async (_what, body, field) => {
    const { device } = await enroll('fully_managed')
    expect((await refusal(device.id, body)).field).toBe(field)
  })

  it('is valid for VIGIL_MDM_COMMAND_HOURS, also at the provider', async () => {
    const { phone, device, id } = await sentTo('fully_managed', { type: 'LOCK' })
    const command = await commandOf(device.id, id)
    const lasts = Date.parse(command?.expires_at ?? '') - Date.parse(command?.created_at ?? '')
    expect(lasts).toBe(168 * HOUR_MS)
    const [pending] = world().control.getPhone(phone.id).pending_commands
    const seconds = Number(/^(\d+)/.exec(String(pending?.command['duration']))?.[1])
    expect(seconds).toBeGreaterThan(168 * 3600 - 60)
    expect(seconds).toBeLessThanOrEqual(168 * 3600)
  })
})

describe('the state of a command', () => {
  it('is queued until the provider has it, and sent until the device has responded', async () => {
    const { device, phone } = await enroll('fully_managed')
    world().control.changePhone(phone.id, WAITING)
    world().control.setFaults({ unreachable: true })
    const { id } = await fleet.command(device.id, { type: 'LOCK' })
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({ status: 'queued', sent_at: null })
    world().control.setFaults({})
    await world().settleRetries()
    const sent = await commandOf(device.id, id)
    expect(sent).toMatchObject({ status: 'sent', completed_at: null })
    expect(sent?.sent_at).toEqual(expect.any(String))
    const [pending] = world().control.getPhone(phone.id).pending_commands
    await world().settleAfter((control) => control.acknowledgeCommand(phone.id, pending?.id ?? ''))
    expect(await commandOf(device.id, id)).toMatchObject({ status: 'acknowledged', error: null })
    expect(issued(phone.device_name)).toMatchObject([{ type: 'LOCK', count: 1 }])
  })

  it('is failed, with the reason, when the device could not run it', async () => {
    const { phone, device, id, operation } = await sentTo('fully_managed', { type: 'REBOOT' })
    world().control.failCommand(phone.id, operation, { error_code: 'UNSUPPORTED' })
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('UNSUPPORTED') as string,
    })
  })

  it('is failed when the provider rejects it', async () => {
    const { device } = await enroll('fully_managed')
    // From Android 14 on a PIN has at least six digits.
    const { id } = await fleet.command(device.id, { type: 'RESET_PASSWORD', new_password: '1234' })
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('INVALID_VALUE') as string,
    })
  })

  it('is expired when its validity ends', async () => {
    const { device, id } = await sentTo('fully_managed', { type: 'LOCK' })
    await world().settleAfter((control) => control.advanceClock({ advance_seconds: 169 * 3600 }))
    expect(await commandOf(device.id, id)).toMatchObject({
      status: 'expired',
      error: expect.any(String) as string,
    })
  })

  it('is canceled when the device is removed, except for the command that removed it', async () => {
    const { device, phone, id } = await sentTo('fully_managed', { type: 'LOCK' })
    const wipe = await fleet.command(device.id, { type: 'WIPE' })
    await world().settle()
    expect(pendingOf(phone.id)).toEqual(['LOCK', 'WIPE'])
    await fleet.content(remove(`/devices/${device.id}`))
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({
      status: 'cancelled',
      error: expect.stringContaining('no longer managed') as string,
    })
    expect(await commandOf(device.id, wipe.id)).toMatchObject({ status: 'acknowledged' })
  })

  it('is final: later reports do not change it', async () => {
    const { phone, device, id, operation } = await sentTo('fully_managed', { type: 'LOCK' })
    world().control.setFaults({ notifications: { duplicate_rate: 1 } })
    await world().settleAfter((control) => control.acknowledgeCommand(phone.id, operation))
    const ended = await commandOf(device.id, id)
    await world().run('checkCommands')
    expect(await commandOf(device.id, id)).toEqual(ended)
    const entries = await fleet.audit('command.completed')
    expect(entries.filter(({ target_id }) => target_id === id)).toHaveLength(1)
  })

  it('is found by a check when the notification was lost', async () => {
    const { phone, device, id, operation } = await sentTo('fully_managed', { type: 'LOCK' })
    world().control.setFaults({ notifications: { lost_rate: 1 } })
    await world().settleAfter((control) => control.acknowledgeCommand(phone.id, operation))
    expect(await commandOf(device.id, id)).toMatchObject({ status: 'sent' })
    const { db } = world().harness.stores
    const row = db.updateTable('mdm_commands').where('id', '=', id)
    await row.set({ check_due_at: new Date(0) }).execute()
    await world().run('checkCommands')
    expect(await commandOf(device.id, id)).toMatchObject({ status: 'acknowledged' })
  })
})

describe('many commands', () => {
  it('of one device reach it in order, each once', async () => {
    const { device, phone } = await enroll('fully_managed')
    world().control.changePhone(phone.id, WAITING)
    const types = ['LOCK', 'REBOOT', 'RESET_PASSWORD', 'LOCK', 'REBOOT']
    for (const type of types) await fleet.command(device.id, { type })
    await world().settle()
    expect(pendingOf(phone.id)).toEqual(types)
  })

  it('reach each device once and are run although the provider fails occasionally', async () => {
    const own = await createReadyFleet(world())
    const devices = []
    for (let n = 0; n < 4; n += 1) devices.push((await own.enroll(own.policy_id)).device)
    world().control.setFaults({ error_rate: 0.4, seed: 11 })
    for (const { id } of devices) await own.command(id, { type: 'LOCK' })
    const { db } = world().harness.stores
    const waiting = async () => await db.selectFrom('mdm_dispatches').select('kind').execute()
    for (let round = 0; round < 60 && (await waiting()).length > 0; round += 1) {
      await world().settleRetries()
    }
    await world().settleAfter((control) => control.setFaults({}))
    const commands = await Promise.all(devices.map(async ({ id }) => await own.device(id)))
    expect(commands.map((read) => read.commands.map(({ status }) => status))).toEqual(
      devices.map(() => ['acknowledged']),
    )
    const { name } = await own.content<{ name: string }>({ path: '/enterprise' })
    const truth = world().control.truth()
    const locks = truth.issued.filter(({ device }) => device.startsWith(`${name}/`))
    expect(locks.map(({ count }) => count)).toEqual(devices.map(() => 1))
  })
})
