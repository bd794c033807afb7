/** Specification, "Events": conditions and data of the `mdm.*` events (OP-23, OP-30, OP-85). */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Receiver, startReceiver } from '../../emulators/receiver.ts'
import type { Dispatcher } from '../../src/platform/dispatch/index.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'
import { createReadyFleet, type Fleet, patch, post } from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'
import { startWebhookDispatcher } from '../support/webhook-dispatcher.ts'

const world = useMdmWorld({ settings: { VIGIL_WEBHOOK_ALLOW: '127.0.0.1' } })
const TYPES = ['mdm.device.enrolled', 'mdm.device.compliance_changed', 'mdm.command.completed']

let fleet: Fleet & { policy_id: string }
beforeEach(async () => {
  fleet = await createReadyFleet(world())
})
afterEach(() => void world().control.setFaults({}))

describe('mdm.device.enrolled', () => {
  it('is emitted with the record when a device is first reported as enrolled', async () => {
    const { device } = await fleet.enroll(fleet.policy_id)
    const events = await fleet.events('mdm.device.enrolled')
    expect(events).toHaveLength(1)
    expect(Object.keys(events[0]?.data ?? {})).toEqual(Object.keys(device))
    expect(events[0]).toMatchObject({
      mode: 'live',
      data: { id: device.id, serial_number: device.serial_number, policy_id: fleet.policy_id },
    })
  })

  it('is emitted once despite duplicate and reordered notifications', async () => {
    const notifications = { duplicate_rate: 1, reorder_rate: 0.5 }
    world().control.setFaults({ notifications, seed: 7 })
    const { token_value } = await fleet.createToken(fleet.policy_id)
    for (let n = 0; n < 10; n += 1) {
      world().control.enrollPhone({ token_value, reaction_ms: 0 })
    }
    await vi.waitFor(async () => {
      await world().settle()
      expect(await fleet.devices({ compliance: 'compliant' })).toHaveLength(10)
    }, 30_000)
    expect(await fleet.events('mdm.device.enrolled')).toHaveLength(10)
    const changes = await fleet.events('mdm.device.compliance_changed')
    expect(new Set(changes.map(({ data }) => data['id'])).size).toBe(changes.length)
  })
})

describe('mdm.device.compliance_changed', () => {
  it('is emitted for each change of compliance_state, with the record at that time', async () => {
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    const before = (await fleet.events('mdm.device.compliance_changed')).length
    world().control.violate(phone.id, { setting_name: 'passwordPolicies' })
    await world().settle()
    const graced = (await fleet.device(device.id)).device
    await world().settleAfter((control) => control.report(phone.id))
    await world().run('flipCompliance', DAY_MS + 60_000)
    await world().run('flipCompliance', DAY_MS + 120_000)
    const ended = (await fleet.device(device.id)).device
    await world().settleAfter((control) => control.repair(phone.id, {}))
    const events = (await fleet.events('mdm.device.compliance_changed')).slice(before)
    expect(events).toHaveLength(3)
    // The clock of the grace period was ahead, so that its event is the last one by id.
    const of = (state: string) =>
      events.find(({ data }) => data['compliance_state'] === state)?.data
    expect(of('grace_period')).toEqual(graced)
    expect(of('non_compliant')).toEqual(ended)
    expect(of('compliant')).toMatchObject({ id: device.id, non_compliance_details: [] })
  })

  it('is not emitted for reports that do not change it', async () => {
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    const before = await fleet.events('mdm.device.compliance_changed')
    world().control.report(phone.id)
    await fleet.content(patch(`/devices/${device.id}`, { name: 'Till' }))
    await world().settle()
    await world().run('flipCompliance', DAY_MS)
    expect(await fleet.events('mdm.device.compliance_changed')).toEqual(before)
  })
})

describe('mdm.command.completed', () => {
  it('is emitted once with the record when a command reaches a final state', async () => {
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    const lock = await fleet.command(device.id, { type: 'LOCK' })
    world().control.setFaults({ notifications: { duplicate_rate: 1 } })
    await world().settle()
    world().control.changePhone(phone.id, { is_automatic: false })
    const reboot = await fleet.command(device.id, { type: 'REBOOT' })
    await world().settle()
    const completed = async () =>
      (await fleet.events('mdm.command.completed')).map(({ data }) => data)
    const { commands } = await fleet.device(device.id)
    expect(await completed()).toEqual(commands.filter(({ id }) => id === lock.id))

    const [pending] = world().control.getPhone(phone.id).pending_commands
    const failure = { error_code: 'UNSUPPORTED' } as const
    world().control.failCommand(phone.id, pending?.id ?? '', failure)
    await world().settle()
    const [, failed, ...others] = await completed()
    expect(others).toEqual([])
    expect(failed).toMatchObject({ id: reboot.id, status: 'failed' })
    expect(failed).toEqual((await fleet.device(device.id)).commands[0])
  })

  it('is emitted for each device of a command to a group', async () => {
    const group = await fleet.createGroup()
    const devices = [await fleet.enroll(fleet.policy_id), await fleet.enroll(fleet.policy_id)]
    const ids = devices.map(({ device }) => device.id)
    await fleet.assign(group.id, ids)
    const lock = post(`/groups/${group.id}/commands`, { type: 'LOCK' })
    const command = await fleet.content<{ id: string }>(lock)
    await world().settle()
    const events = (await fleet.events('mdm.command.completed')).map(({ data }) => data)
    expect(new Set(events.map(({ device_id }) => device_id))).toEqual(new Set(ids))
    expect(events).toHaveLength(2)
    for (const data of events) expect(data).toMatchObject({ group_command_id: command.id })
  })
})

describe('a webhook endpoint', () => {
  let receiver: Receiver
  let dispatcher: Dispatcher
  beforeAll(async () => {
    receiver = await startReceiver()
    const given = { deadline_ms: 1000, retry_schedule_ms: [DAY_MS] }
    dispatcher = startWebhookDispatcher(world().harness, receiver.ca, given)
  })
  afterAll(async () => {
    await dispatcher.stop(0)
    await receiver.close()
  })

  it('receives each of them once, signed, and none of other organizations', async () => {
    const other = await createReadyFleet(world())
    const { harness } = world()
    const { org_id, tokens } = fleet
    const url = `${receiver.url}/mdm`
    const created = await harness.post<{ secret: string }>(
      '/v1/webhooks',
      { org_id, url, events: TYPES },
      { token: tokens.owner },
    )
    receiver.setScenario({ secrets: [created.body.content.secret] })
    await other.enroll(other.policy_id)
    const { device } = await fleet.enroll(fleet.policy_id)
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
