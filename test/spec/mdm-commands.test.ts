/** Specification, "MDM": commands, which device takes which, and their states (OP-28, OP-77). */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Command } from '../../src/modules/mdm/commands/schema.ts'
import { COMMAND_TYPES, type CommandType } from '../../src/platform/postgres/tables/mdm.ts'
import {
  type Ask,
  createReadyFleet,
  type Enrolled,
  type Fleet,
  type Given,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld()
const HOUR_MS = 3_600_000
const WAITING = { is_automatic: false } as const

let fleet: Fleet & { policy_id: string }
let profile_policy_id: string
beforeAll(async () => {
  fleet = await createReadyFleet(world())
  profile_policy_id = (await fleet.createPolicy({ management_mode: 'work_profile' })).id
})
afterEach(() => void world().emulator.control.setFaults({}))

type Kind = 'fully_managed' | 'company_profile' | 'personal_profile'
const enrol = async (kind: Kind, phone: Given = {}): Promise<Enrolled> => {
  if (kind === 'fully_managed') return await fleet.enrol(fleet.policy_id, phone)
  const ownership = kind === 'company_profile' ? 'COMPANY_OWNED' : 'PERSONALLY_OWNED'
  return await fleet.enrol(profile_policy_id, { ownership, ...phone })
}
const asked = (deviceId: string, body: Given): Ask => {
  return { method: 'POST', path: `/devices/${deviceId}/commands`, body }
}
const bodyOf = (type: string): Given =>
  type === 'CLEAR_APP_DATA' ? { type, package_names: ['com.example.till'] } : { type }
const refusal = async (deviceId: string, body: Given) => {
  const { status, body: answer } = await fleet.ask(asked(deviceId, body))
  expect(status, answer.message).toBe(400)
  expect(answer).toMatchObject({ success: false, code: 'invalid_request' })
  return { field: answer.content.field, message: answer.message }
}
const commandOf = async (deviceId: string, id: string): Promise<Command | undefined> =>
  (await fleet.device(deviceId)).commands.find((command) => command.id === id)
const pendingOf = (phoneId: string) =>
  world()
    .emulator.control.getPhone(phoneId)
    .pending_commands.map(({ type }) => type)
const issued = (deviceName: string | null) =>
  world()
    .emulator.control.truth()
    .issued.filter(({ device }) => device === deviceName)
/** A phone that acts only when it is told to, with a command that it has got. */
async function sentTo(kind: Kind, body: Given) {
  const enrolled = await enrol(kind)
  world().emulator.control.changePhone(enrolled.phone.id, WAITING)
  const { id } = await fleet.command(enrolled.device.id, body)
  await world().settle()
  const [pending] = world().emulator.control.getPhone(enrolled.phone.id).pending_commands
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
    const { device } = await enrol('fully_managed')
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
  it.each(ACCEPTED)('for a %s device may be %s, and is carried out', async (kind, type) => {
    const { device, phone } = await enrol(kind)
    const made = await fleet.command(device.id, bodyOf(type))
    expect(made).toMatchObject({
      device_id: device.id,
      group_command_id: null,
      type,
      status: 'queued',
      error: null,
      sent_at: null,
      completed_at: null,
    })
    await world().settle()
    expect(await commandOf(device.id, made.id)).toMatchObject({
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
  ])('for a %s device cannot be %s, and the refusal says why', async (kind, type, why) => {
    const { device } = await enrol(kind)
    const { field, message } = await refusal(device.id, bodyOf(type))
    expect(field).toBe('type')
    expect(message).toMatch(why)
    expect((await fleet.device(device.id)).commands).toEqual([])
  })

  it('is refused for an Android that does not know it', async () => {
    const { device } = await enrol('fully_managed', { android_version: '8' })
    const { field, message } = await refusal(device.id, bodyOf('CLEAR_APP_DATA'))
    expect({ field, message }).toEqual({
      field: 'type',
      message: expect.stringContaining('Android 9') as string,
    })
  })

  it.each<[string, Given, string]>([
    ['no apps', { type: 'CLEAR_APP_DATA' }, 'package_names'],
    ['an empty list', { type: 'CLEAR_APP_DATA', package_names: [] }, 'package_names'],
    [
      'what is no name of an app',
      { type: 'CLEAR_APP_DATA', package_names: ['com.example.till', 'till'] },
      'package_names.1',
    ],
    ['apps for another type', { type: 'LOCK', package_names: ['com.example'] }, 'package_names'],
    ['a password for another type', { type: 'LOCK', new_password: '123456' }, 'new_password'],
    ['an empty password', { type: 'RESET_PASSWORD', new_password: '' }, 'new_password'],
  ])('is refused with %s', async (_what, body, field) => {
    const { device } = await enrol('fully_managed')
    expect((await refusal(device.id, body)).field).toBe(field)
  })

  it('is valid for VIGIL_MDM_COMMAND_HOURS, and the provider is told so', async () => {
    const { phone, device, id } = await sentTo('fully_managed', { type: 'LOCK' })
    const made = await commandOf(device.id, id)
    const lasts = Date.parse(made?.expires_at ?? '') - Date.parse(made?.created_at ?? '')
    expect(lasts).toBe(168 * HOUR_MS)
    const [pending] = world().emulator.control.getPhone(phone.id).pending_commands
    const seconds = Number(/^(\d+)/.exec(String(pending?.command['duration']))?.[1])
    expect(seconds).toBeGreaterThan(168 * 3600 - 60)
    expect(seconds).toBeLessThanOrEqual(168 * 3600)
  })
})

describe('the state of a command', () => {
  it('is queued until the provider has it, and sent until the device has answered', async () => {
    const { device, phone } = await enrol('fully_managed')
    world().emulator.control.changePhone(phone.id, WAITING)
    world().emulator.control.setFaults({ away: true })
    const { id } = await fleet.command(device.id, { type: 'LOCK' })
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({ status: 'queued', sent_at: null })
    world().emulator.control.setFaults({})
    const { db } = world().harness.stores
    await db
      .updateTable('mdm_dispatches')
      .set({ due_at: new Date(0) })
      .execute()
    await world().settle()
    const sent = await commandOf(device.id, id)
    expect(sent).toMatchObject({ status: 'sent', completed_at: null })
    expect(sent?.sent_at).toEqual(expect.any(String))
    const [pending] = world().emulator.control.getPhone(phone.id).pending_commands
    world().emulator.control.acknowledgeCommand(phone.id, pending?.id ?? '')
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({ status: 'acknowledged', error: null })
    expect(issued(phone.device_name)).toMatchObject([{ type: 'LOCK', count: 1 }])
  })

  it('is failed, with the reason, when the device could not do it', async () => {
    const { phone, device, id, operation } = await sentTo('fully_managed', { type: 'REBOOT' })
    world().emulator.control.failCommand(phone.id, operation, { error_code: 'UNSUPPORTED' })
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('UNSUPPORTED') as string,
    })
  })

  it('is failed when the provider does not take it', async () => {
    const { device } = await enrol('fully_managed')
    // From Android 14 on a PIN has at least six digits.
    const { id } = await fleet.command(device.id, { type: 'RESET_PASSWORD', new_password: '1234' })
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('INVALID_VALUE') as string,
    })
  })

  it('is expired when the time of its validity is over', async () => {
    const { device, id } = await sentTo('fully_managed', { type: 'LOCK' })
    world().emulator.control.advanceClock({ advance_seconds: 169 * 3600 })
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({
      status: 'expired',
      error: expect.any(String) as string,
    })
  })

  it('is cancelled when the device is gone, but what made it go was acknowledged', async () => {
    const { device, phone, id } = await sentTo('fully_managed', { type: 'LOCK' })
    const wipe = await fleet.command(device.id, { type: 'WIPE' })
    await world().settle()
    expect(pendingOf(phone.id)).toEqual(['LOCK', 'WIPE'])
    await fleet.content({ method: 'DELETE', path: `/devices/${device.id}` })
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({
      status: 'cancelled',
      error: expect.stringContaining('not managed any more') as string,
    })
    expect(await commandOf(device.id, wipe.id)).toMatchObject({ status: 'acknowledged' })
  })

  it('is final: nothing that is told later changes it', async () => {
    const { phone, device, id, operation } = await sentTo('fully_managed', { type: 'LOCK' })
    world().emulator.control.setFaults({ notifications: { duplicate_rate: 1 } })
    world().emulator.control.acknowledgeCommand(phone.id, operation)
    await world().settle()
    const ended = await commandOf(device.id, id)
    const { device_management } = world().harness.services
    await device_management.checkCommands(new Date(), AbortSignal.timeout(10_000))
    expect(await commandOf(device.id, id)).toEqual(ended)
    const told = await fleet.audit('command.completed')
    expect(told.filter(({ target_id }) => target_id === id)).toHaveLength(1)
  })

  it('is learnt by looking, when the notification was lost', async () => {
    const { phone, device, id, operation } = await sentTo('fully_managed', { type: 'LOCK' })
    world().emulator.control.setFaults({ notifications: { lost_rate: 1 } })
    world().emulator.control.acknowledgeCommand(phone.id, operation)
    await world().settle()
    expect(await commandOf(device.id, id)).toMatchObject({ status: 'sent' })
    const { db } = world().harness.stores
    const row = db.updateTable('mdm_commands').where('id', '=', id)
    await row.set({ check_due_at: new Date(0) }).execute()
    const { device_management } = world().harness.services
    await device_management.checkCommands(new Date(), AbortSignal.timeout(10_000))
    expect(await commandOf(device.id, id)).toMatchObject({ status: 'acknowledged' })
  })
})

describe('many commands', () => {
  it('of one device reach it in their order, each once', async () => {
    const { device, phone } = await enrol('fully_managed')
    world().emulator.control.changePhone(phone.id, WAITING)
    const types = ['LOCK', 'REBOOT', 'RESET_PASSWORD', 'LOCK', 'REBOOT']
    for (const type of types) await fleet.command(device.id, { type })
    await world().settle()
    expect(pendingOf(phone.id)).toEqual(types)
  })

  it('reach each device once and are carried out, though the provider fails now and then', async () => {
    const own = await createReadyFleet(world())
    const devices = []
    for (let n = 0; n < 8; n += 1) devices.push((await own.enrol(own.policy_id)).device)
    world().emulator.control.setFaults({ error_rate: 0.4, seed: 11 })
    for (const { id } of devices) await own.command(id, { type: 'LOCK' })
    const { db } = world().harness.stores
    const waiting = async () => await db.selectFrom('mdm_dispatches').select('kind').execute()
    for (let round = 0; round < 60 && (await waiting()).length > 0; round += 1) {
      await db
        .updateTable('mdm_dispatches')
        .set({ due_at: new Date(0) })
        .execute()
      await world().settle()
    }
    world().emulator.control.setFaults({})
    await world().settle()
    const commands = await Promise.all(devices.map(async ({ id }) => await own.device(id)))
    expect(commands.map((read) => read.commands.map(({ status }) => status))).toEqual(
      devices.map(() => ['acknowledged']),
    )
    const { name } = await own.content<{ name: string }>({ path: '/enterprise' })
    const truth = world().emulator.control.truth()
    const locks = truth.issued.filter(({ device }) => device.startsWith(`${name}/`))
    expect(locks.map(({ count }) => count)).toEqual(devices.map(() => 1))
  })
})
