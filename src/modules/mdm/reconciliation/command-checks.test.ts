import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import {
  addCommand,
  addDevice,
  commandOf,
  dispatchesOf,
  eventsOf,
  fakeProvider,
  fault,
  ok,
} from '../../../../test/support/mdm-dispatch.ts'
import { createGoogle } from '../../../../test/support/mdm-google.ts'
import { createProcess } from '../../../../test/support/mdm-process.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import type { AndroidManagement } from '../providers/port.ts'
import { createCommandChecks } from './command-checks.ts'

const db = ownDatabase()
afterEach(async () => {
  await sql`truncate mdm_devices, mdm_commands, mdm_dispatches, events`.execute(db)
})

const NOW = new Date()
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)
const running = new AbortController().signal

function checking(getOperation: AndroidManagement['getOperation']) {
  const requested: string[] = []
  const provider = fakeProvider({
    getOperation: (name) => {
      requested.push(name)
      return getOperation(name)
    },
  })
  const check = createCommandChecks({
    db,
    provider,
    newId: createIds(),
    log: createLog('silent'),
    mdm_command_check_minutes: 60,
  })
  return { requested, check: (signal = running) => check(NOW, signal) }
}

async function addSent(given: Parameters<typeof addCommand>[2] = {}) {
  const device = await addDevice(db, randomUUID())
  const operation_name = `${device.provider_name}/operations/${randomUUID()}`
  const sent = { status: 'sent', operation_name, sent_at: NOW, check_due_at: ago(1) } as const
  return await addCommand(db, device, { ...sent, ...given })
}

describe('a command that was sent', () => {
  it('whose notification was lost gets its result', async () => {
    const command = await addSent()
    const { check, requested } = checking((name) => Promise.resolve(ok({ name, done: true })))
    expect(await check()).toEqual({ looked_at: 1, ended: 1 })
    expect(requested).toEqual([command.operation_name])
    expect((await commandOf(db, command)).status).toBe('acknowledged')
    expect(await eventsOf(db, command.org_id)).toHaveLength(1)
    expect(await check()).toEqual({ looked_at: 0, ended: 0 })
  })

  it('that the device has not received yet is checked again later', async () => {
    const command = await addSent()
    const { check } = checking((name) => Promise.resolve(ok({ name, done: false })))
    expect(await check()).toEqual({ looked_at: 1, ended: 0 })
    const row = await commandOf(db, command)
    expect(row.status).toBe('sent')
    expect(row.check_due_at?.getTime()).toBeGreaterThan(NOW.getTime() + 50 * 60_000)
  })

  it('expires an hour late, or when the provider no longer knows it', async () => {
    const silent = await addSent({ expires_at: ago(61) })
    const recent = await addSent({ expires_at: ago(59) })
    const pending = checking((name) => Promise.resolve(ok({ name, done: false })))
    await pending.check()
    expect((await commandOf(db, silent)).status).toBe('expired')
    expect((await commandOf(db, recent)).status).toBe('sent')
    const unknown = await addSent()
    await checking(() => Promise.resolve(fault({ kind: 'not_found' }))).check()
    expect((await commandOf(db, unknown)).status).toBe('expired')
    expect(await eventsOf(db, unknown.org_id)).toHaveLength(1)
  })

  it.each(['rate_limited', 'unavailable', 'refused'] as const)(
    'is unchanged when the provider answers %s, and no more requests are made',
    async (kind) => {
      const commands = [await addSent(), await addSent(), await addSent()]
      const limited = checking(() => Promise.resolve(fault({ kind })))
      expect(await limited.check()).toEqual({ looked_at: 0, ended: 0 })
      expect(limited.requested).toHaveLength(1)
      const succeeding = checking((name) => Promise.resolve(ok({ name, done: true })))
      expect(await succeeding.check()).toEqual({ looked_at: 3, ended: 3 })
      for (const command of commands) {
        expect((await commandOf(db, command)).status).toBe('acknowledged')
      }
    },
  )

  it('is checked once by concurrent processes', async () => {
    for (let each = 0; each < 30; each += 1) await addSent()
    const { check, requested } = checking((name) => Promise.resolve(ok({ name, done: true })))
    await Promise.all([check(), check(), check()])
    expect(requested).toHaveLength(30)
    expect(new Set(requested).size).toBe(30)
  })

  it('is not checked when the schedule stops', async () => {
    await addSent()
    const stopped = AbortSignal.abort()
    const { check, requested } = checking(() => Promise.resolve(fault({ kind: 'unavailable' })))
    expect(await check(stopped)).toEqual({ looked_at: 0, ended: 0 })
    expect(requested).toEqual([])
  })
})

describe('a command that was not sent', () => {
  const addWaiting = async (given: Parameters<typeof addCommand>[2] = {}) => {
    const times = { expires_at: ago(1), check_due_at: ago(1) }
    return await addCommand(db, await addDevice(db, randomUUID()), { ...times, ...given })
  }
  const never = checking(() => Promise.reject(new Error('No request was expected')))

  it('expires without any attempt to send it', async () => {
    const command = await addWaiting()
    expect(await never.check()).toEqual({ looked_at: 1, ended: 1 })
    expect((await commandOf(db, command)).status).toBe('expired')
    expect(await dispatchesOf(db, command.org_id)).toEqual([])
    expect(await eventsOf(db, command.org_id)).toHaveLength(1)
  })

  it('expires while many sent commands wait for a provider that is down', async () => {
    for (let each = 0; each < 30; each += 1) await addSent({ check_due_at: ago(60) })
    const command = await addWaiting()
    const { check } = checking(() => Promise.resolve(fault({ kind: 'unavailable' })))
    expect(await check()).toEqual({ looked_at: 1, ended: 1 })
    expect((await commandOf(db, command)).status).toBe('expired')
  })

  it('does not expire while it is being sent', async () => {
    const command = await addWaiting({ expires_at: new Date(NOW.getTime() + 60_000) })
    const process = createProcess(db, createGoogle())
    const jobs = await process.claim()
    await sql`update mdm_commands set expires_at = ${ago(1)}`.execute(db)
    expect(await never.check()).toEqual({ looked_at: 1, ended: 0 })
    await process.settle(await Promise.all(jobs.map(process.attempt)))
    expect((await commandOf(db, command)).status).toBe('sent')
  })

  it('does not expire while it is being sent again, long after its time', async () => {
    const command = await addWaiting({
      unsure_since: ago(90),
      expires_at: new Date(NOW.getTime() + 60_000),
    })
    const process = createProcess(db, createGoogle())
    const jobs = await process.claim()
    await sql`update mdm_commands set expires_at = ${ago(61)}`.execute(db)
    expect(await never.check()).toEqual({ looked_at: 1, ended: 0 })
    expect((await commandOf(db, command)).status).toBe('queued')
    expect(jobs).toHaveLength(1)
  })

  it('that may have arrived expires an hour late', async () => {
    const unsure = await addWaiting({ unsure_since: ago(5) })
    const long = await addWaiting({ unsure_since: ago(90), expires_at: ago(61) })
    expect(await never.check()).toEqual({ looked_at: 2, ended: 1 })
    expect((await commandOf(db, unsure)).status).toBe('queued')
    expect((await commandOf(db, long)).status).toBe('expired')
  })
})
