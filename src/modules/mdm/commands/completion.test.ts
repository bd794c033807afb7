import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import {
  actionsOf,
  addCommand,
  addDevice,
  addDispatch,
  commandOf,
  dispatchesOf,
  eventsOf,
} from '../../../../test/support/mdm-dispatch.ts'
import { createIds } from '../../../platform/ids.ts'
import type { WireOperation } from '../providers/port.ts'
import { applyOperations, endCommandsOfDevices, type ReportedOperation } from './completion.ts'
import { toCommand } from './record.ts'

const db = testDatabase()
const NOW = new Date('2026-03-01T12:00:00.000Z')
const context = { newId: createIds(), now: NOW }

const apply = (reported: ReportedOperation[]) =>
  db.transaction().execute((tx) => applyOperations(tx, context, reported))
const endDevices = (devices: { org_id: string; id: string }[]) =>
  db.transaction().execute((tx) => endCommandsOfDevices(tx, context, devices))

async function addSent(values: Parameters<typeof addCommand>[2] = {}) {
  const device = await addDevice(db, randomUUID())
  const operation_name = `${device.provider_name}/operations/${randomUUID()}`
  const sent = { status: 'sent', operation_name, sent_at: NOW, new_password: 'sealed' } as const
  const command = await addCommand(db, device, { ...sent, ...values })
  const report = (operation: WireOperation): ReportedOperation => ({
    org_id: device.org_id,
    device_name: device.provider_name,
    operation: { name: operation_name, ...operation },
  })
  return { device, command, report, org_id: device.org_id }
}

describe('reported operations', () => {
  it('end their command with one audit entry and one event', async () => {
    const { command, report, org_id } = await addSent()
    expect(await apply([report({ done: true })])).toEqual([])
    const row = await commandOf(db, command)
    expect(row).toMatchObject({ status: 'acknowledged', completed_at: NOW, new_password: null })
    expect(await actionsOf(db, org_id)).toEqual(['command.completed'])
    expect(await eventsOf(db, org_id)).toMatchObject([
      { type: 'mdm.command.completed', data: toCommand(row) },
    ])
  })

  it('change nothing when they are reported again, together, later or after the end', async () => {
    const { command, report, org_id } = await addSent()
    const failed = report({ done: true, error: { code: 13, message: 'no' } })
    await apply([report({ done: true }), failed])
    await apply([failed])
    await endDevices([{ org_id, id: command.device_id }])
    expect((await commandOf(db, command)).status).toBe('acknowledged')
    expect(await eventsOf(db, org_id)).toHaveLength(1)
    expect(await actionsOf(db, org_id)).toHaveLength(1)
  })

  it('change nothing while they are not done', async () => {
    const { command, report, org_id } = await addSent()
    await apply([report({ done: false, metadata: { type: 'LOCK' } })])
    expect((await commandOf(db, command)).status).toBe('sent')
    expect(await eventsOf(db, org_id)).toEqual([])
  })

  it('are returned when no command has them, and never reach another organization', async () => {
    const one = await addSent()
    const foreign = { ...one.report({ done: true }), org_id: randomUUID() }
    expect(await apply([foreign])).toEqual([one.command.operation_name])
    expect((await commandOf(db, one.command)).status).toBe('sent')
  })

  it('that have no name or another device are ignored', async () => {
    const { command, report } = await addSent()
    const other = { ...report({ done: true }), device_name: 'enterprises/LC1/devices/other' }
    const nameless = { ...report({}), operation: { done: true } }
    expect(await apply([other, nameless])).toEqual([])
    expect((await commandOf(db, command)).status).toBe('sent')
  })

  it('of many commands are applied together, except for unknown ones', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => addSent()))
    const { device } = await addSent()
    const name = `${device.provider_name}/operations/x`
    const stray = { org_id: device.org_id, device_name: device.provider_name, operation: { name } }
    const unknown = await apply([stray, ...all.map(({ report }) => report({ done: true }))])
    expect(unknown).toEqual([name])
    for (const { command } of all) {
      expect((await commandOf(db, command)).status).toBe('acknowledged')
    }
  })

  it('change nothing when the surrounding transaction fails', async () => {
    const { command, report, org_id } = await addSent()
    const failing = db.transaction().execute(async (tx) => {
      await applyOperations(tx, context, [report({ done: true })])
      throw new Error('no commit')
    })
    await expect(failing).rejects.toThrow('no commit')
    expect((await commandOf(db, command)).status).toBe('sent')
    expect(await eventsOf(db, org_id)).toEqual([])
  })

  it('take effect once when they are applied concurrently', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => addSent()))
    const reported = all.map(({ report }) => report({ done: true }))
    await Promise.all([apply(reported), apply(reported.toReversed()), apply(reported)])
    for (const { org_id } of all) expect(await eventsOf(db, org_id)).toHaveLength(1)
  })
})

describe('when a device is no longer managed', () => {
  it('its wipe is acknowledged, its other commands are canceled, and nothing more is sent', async () => {
    const { device, command: wipe, org_id } = await addSent({ type: 'WIPE' })
    const waiting = await addCommand(db, device)
    const other = await addCommand(db, await addDevice(db, org_id))
    await endDevices([device])
    expect((await commandOf(db, wipe)).status).toBe('acknowledged')
    expect(await commandOf(db, waiting)).toMatchObject({
      status: 'cancelled',
      error: 'The device is no longer managed',
    })
    expect((await commandOf(db, other)).status).toBe('queued')
    expect((await dispatchesOf(db, org_id)).map(({ subject_id }) => subject_id)).toEqual([other.id])
    expect(await eventsOf(db, org_id)).toHaveLength(2)
  })

  it('dispatches of other kinds stay', async () => {
    const { device, org_id } = await addSent()
    await addDispatch(db, org_id, 'assign_policy', device.id)
    await endDevices([device])
    expect(await dispatchesOf(db, org_id)).toHaveLength(1)
  })
})
