/** Specification, "Events", `mdm.*`: when they are emitted and with which data (OP-23, OP-30, OP-85). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Receiver, startReceiver } from '../../emulators/receiver.ts'
import { createWebhookDispatcher } from '../../src/modules/webhooks/index.ts'
import type { Dispatcher } from '../../src/platform/dispatch/index.ts'
import { readAllowList } from '../../src/platform/net/allow-list.ts'
import { createGuardedPost } from '../../src/platform/net/guarded-post.ts'
import { createReadyFleet, type Fleet } from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld({ settings: { VIGIL_WEBHOOK_ALLOW: '127.0.0.1' } })
const TYPES = ['mdm.device.enrolled', 'mdm.device.compliance_changed', 'mdm.command.completed']
const DAY_MS = 86_400_000

let fleet: Fleet & { policy_id: string }
beforeEach(async () => {
  fleet = await createReadyFleet(world())
})
afterEach(() => void world().emulator.control.setFaults({}))

const flip = async (inMs: number) => {
  const { device_management } = world().harness.services
  const at = new Date(Date.now() + inMs)
  await device_management.flipCompliance(at, AbortSignal.timeout(10_000))
}

describe('mdm.device.enrolled', () => {
  it('is emitted when a device is first reported enrolled, with its record', async () => {
    const { device } = await fleet.enrol(fleet.policy_id)
    const events = await fleet.events('mdm.device.enrolled')
    expect(events).toHaveLength(1)
    expect(Object.keys(events[0]?.data ?? {})).toEqual(Object.keys(device))
    expect(events[0]).toMatchObject({
      mode: 'live',
      data: { id: device.id, serial_number: device.serial_number, policy_id: fleet.policy_id },
    })
  })

  it('is emitted once, though all is told twice and in another order', async () => {
    const notifications = { duplicate_rate: 1, reorder_rate: 0.5 }
    world().emulator.control.setFaults({ notifications, seed: 7 })
    const { token_value } = await fleet.createToken(fleet.policy_id)
    for (let n = 0; n < 10; n += 1) {
      world().emulator.control.enrolPhone({ token_value, reaction_ms: 0 })
    }
    await vi.waitFor(async () => {
      await world().settle()
      expect(await fleet.devices({ compliance: 'compliant' })).toHaveLength(10)
    })
    expect(await fleet.events('mdm.device.enrolled')).toHaveLength(10)
    const told = await fleet.events('mdm.device.compliance_changed')
    expect(new Set(told.map(({ data }) => data['id'])).size).toBe(told.length)
  })
})

describe('mdm.device.compliance_changed', () => {
  it('is emitted for each change of compliance_state, with the record of then', async () => {
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    const before = (await fleet.events('mdm.device.compliance_changed')).length
    world().emulator.control.violate(phone.id, { setting_name: 'passwordPolicies' })
    await world().settle()
    const graced = (await fleet.device(device.id)).device
    world().emulator.control.report(phone.id)
    await world().settle()
    await flip(DAY_MS + 60_000)
    await flip(DAY_MS + 120_000)
    const ended = (await fleet.device(device.id)).device
    world().emulator.control.repair(phone.id, {})
    await world().settle()
    const events = (await fleet.events('mdm.device.compliance_changed')).slice(before)
    expect(events).toHaveLength(3)
    // What was told by a clock that is ahead is the last of them by its id.
    const of = (state: string) =>
      events.find(({ data }) => data['compliance_state'] === state)?.data
    expect(of('grace_period')).toEqual(graced)
    expect(of('non_compliant')).toEqual(ended)
    expect(of('compliant')).toMatchObject({ id: device.id, non_compliance_details: [] })
  })

  it('is not emitted for what changes nothing about it', async () => {
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    const before = await fleet.events('mdm.device.compliance_changed')
    world().emulator.control.report(phone.id)
    await fleet.content({ method: 'PATCH', path: `/devices/${device.id}`, body: { name: 'Till' } })
    await world().settle()
    await flip(DAY_MS)
    expect(await fleet.events('mdm.device.compliance_changed')).toEqual(before)
  })
})

describe('mdm.command.completed', () => {
  it('is emitted when a command reaches a final state, once, with its record', async () => {
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    const lock = await fleet.command(device.id, { type: 'LOCK' })
    world().emulator.control.setFaults({ notifications: { duplicate_rate: 1 } })
    await world().settle()
    world().emulator.control.changePhone(phone.id, { is_automatic: false })
    const reboot = await fleet.command(device.id, { type: 'REBOOT' })
    await world().settle()
    const completed = async () =>
      (await fleet.events('mdm.command.completed')).map(({ data }) => data)
    const { commands } = await fleet.device(device.id)
    expect(await completed()).toEqual(commands.filter(({ id }) => id === lock.id))

    const [pending] = world().emulator.control.getPhone(phone.id).pending_commands
    const failure = { error_code: 'UNSUPPORTED' } as const
    world().emulator.control.failCommand(phone.id, pending?.id ?? '', failure)
    await world().settle()
    const [, failed, ...others] = await completed()
    expect(others).toEqual([])
    expect(failed).toMatchObject({ id: reboot.id, status: 'failed' })
    expect(failed).toEqual((await fleet.device(device.id)).commands[0])
  })

  it('is emitted for each device of a command to a group', async () => {
    const group = await fleet.createGroup()
    const devices = [await fleet.enrol(fleet.policy_id), await fleet.enrol(fleet.policy_id)]
    const ids = devices.map(({ device }) => device.id)
    await fleet.assign(group.id, ids)
    const path = `/groups/${group.id}/commands`
    const made = await fleet.content<{ id: string }>({
      method: 'POST',
      path,
      body: { type: 'LOCK' },
    })
    await world().settle()
    const events = (await fleet.events('mdm.command.completed')).map(({ data }) => data)
    expect(new Set(events.map(({ device_id }) => device_id))).toEqual(new Set(ids))
    expect(events).toHaveLength(2)
    for (const data of events) expect(data).toMatchObject({ group_command_id: made.id })
  })
})

describe('a webhook endpoint', () => {
  let receiver: Receiver
  let dispatcher: Dispatcher
  beforeAll(async () => {
    receiver = await startReceiver()
    const { stores } = world().harness
    const { post } = createGuardedPost({
      allow: readAllowList('127.0.0.1'),
      resolve_timeout_ms: 1000,
      connect_timeout_ms: 1000,
      ca: receiver.ca,
    })
    dispatcher = createWebhookDispatcher({
      ...stores,
      post,
      deadline_ms: 1000,
      retry_schedule_ms: [DAY_MS],
      pause_after_ms: null,
      in_flight_max: 8,
      per_endpoint_max: 8,
      per_host_max: 8,
      poll_ms: 20,
    })
    dispatcher.start()
  })
  afterAll(async () => {
    await dispatcher.stop(0)
    await receiver.close()
  })

  it('gets each of them once, signed, and those of no other organisation', async () => {
    const other = await createReadyFleet(world())
    const { harness } = world()
    const { org_id, tokens } = fleet
    const url = `${receiver.url}/mdm`
    const created = await harness.call<{ secret: string }>({
      method: 'POST',
      path: '/v1/webhooks',
      token: tokens.owner,
      body: { org_id, url, events: TYPES },
    })
    receiver.setScenario({ secrets: [created.body.content.secret] })
    await other.enrol(other.policy_id)
    const { device } = await fleet.enrol(fleet.policy_id)
    await fleet.command(device.id, { type: 'LOCK' })
    await world().settle()
    const events = await fleet.events()
    await vi.waitFor(() => expect(receiver.received).toHaveLength(events.length), {
      timeout: 10_000,
    })
    const came = receiver.received.map(({ body, event, signature }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: unknown }
      return { type, data, event, signature }
    })
    expect(came.map(({ type }) => type).toSorted()).toEqual(
      events.map(({ type }) => type).toSorted(),
    )
    for (const { type, data, event, signature } of came) {
      expect({ event, signature }).toEqual({ event: type, signature: 'valid' })
      expect(events.map((each) => each.data)).toContainEqual(data)
    }
    expect(new Set(came.map(({ type }) => type))).toEqual(new Set(TYPES))
  })
})
