import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { addDevices } from '../../../../test/support/mdm.ts'
import {
  addEnterprise,
  addPolicy,
  dispatchesOf,
  fault,
  newDevice,
  ok,
} from '../../../../test/support/mdm-dispatch.ts'
import { createGoogle, seeded } from '../../../../test/support/mdm-google.ts'
import { systemClock } from '../../../platform/clock.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { applyOperations, endCommandsOfDevices } from '../commands/completion.ts'
import { createCommands } from '../commands/service.ts'
import { createDeviceWriter } from '../devices/device-writer.ts'
import { createCommandChecks } from '../reconciliation/command-checks.ts'
import { createMdmDispatcher } from './dispatcher.ts'
import { requestDispatches } from './store.ts'

const db = ownDatabase()
const newId = createIds()
const DEVICES = 80
const KINDS = ['LOCK', 'REBOOT', 'WIPE'] as const

it('all kinds of work together end every command once, without errors', async () => {
  const random = seeded(5)
  const google = createGoogle(() => {
    const draw = random()
    if (draw < 0.05) return { kind: 'rejected' }
    return draw < 0.1 ? { kind: 'rate_limited', retry_after_s: 0.05 } : 'take'
  })
  const provider = {
    ...google.provider,
    issueCommand: google.provider.issueCommand,
    listOperations: google.provider.listOperations,
    getOperation: (name: string) => Promise.resolve(ok({ name, done: true })),
    patchPolicy: () => Promise.resolve(ok({ version: 1 })),
    assignPolicy: () => Promise.resolve(random() < 0.1 ? fault({ kind: 'rejected' }) : ok({})),
    deleteDevice: () => Promise.resolve(ok({})),
  }
  const errors: string[] = []
  const log = createLog('error', { write: (line) => errors.push(line) })
  const settings = { mdm_grace_hours: 0, mdm_installation_grace_hours: 24 }
  const writer = createDeviceWriter({ newId, settings, endCommandsOfDevices })
  const dispatchers = [1, 2].map(() =>
    createMdmDispatcher({
      db,
      provider,
      budget: { room: (_class, wanted) => Promise.resolve(wanted) },
      sealer: { open: (text) => Promise.resolve(Buffer.from(text)) },
      clock: systemClock,
      newId,
      log,
      writer,
      mdm_command_check_minutes: 0.001,
      deadline_ms: 15_000,
      in_flight_max: 16,
      poll_ms: 20,
    }),
  )
  const hint = () => {
    for (const dispatcher of dispatchers) dispatcher.hint()
  }

  const org_id = await addEnterprise(db)
  const group_id = randomUUID()
  await sql`insert into mdm_groups (org_id, id, name, created_at, updated_at)
    values (${org_id}, ${group_id}, 'Tills', now(), now())`.execute(db)
  const policy = await addPolicy(db, org_id)
  const devices = Array.from({ length: DEVICES }, () =>
    newDevice(org_id, { group_id, policy_id: policy.id }),
  )
  await addDevices(db, devices)
  const sealer = { seal: (text: Buffer | string) => Promise.resolve(String(text)) }
  const options = { db, sealer, clock: systemClock, newId, hint, mdm_command_hours: 1 }
  const commands = createCommands(options)
  const by = { org_id, user_id: randomUUID() }
  const context = () => ({ newId, now: systemClock.now() })

  const command = async () => {
    for (const type of KINDS) await commands.createForGroup(by, group_id, { type })
    for (const device of devices.slice(0, 20)) {
      // Refused once the deletion of the device is requested.
      await commands.create(by, device.id, { type: 'LOCK' }).catch(() => undefined)
    }
  }
  const assign = async () => {
    const subjects = devices.map(({ id }) => ({ org_id, subject_id: id }))
    const publish = [{ org_id, subject_id: policy.id }]
    for (let round = 0; round < 5; round += 1) {
      await db.transaction().execute(async (tx) => {
        await requestDispatches(tx, 'publish_policy', publish)
        await requestDispatches(tx, 'assign_policy', subjects)
      })
      hint()
    }
  }
  const deleteSome = async () => {
    const ids = devices.slice(0, 15).map(({ id }) => id)
    await sql`update mdm_devices set deletion_requested_at = now()
      where org_id = ${org_id} and id = any (${ids}::uuid[])`.execute(db)
    const subjects = ids.map((subject_id) => ({ org_id, subject_id }))
    await requestDispatches(db, 'delete_device', subjects)
    hint()
  }
  const over = new AbortController()
  const answer = async () => {
    while (!over.signal.aborted) {
      const reported = google.taken.slice(-60).map(({ device, operation }) => ({
        org_id,
        device_name: device,
        operation: { ...operation, done: true },
      }))
      await db.transaction().execute((tx) => applyOperations(tx, context(), reported))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const mdm_command_check_minutes = 0.001
  const check = createCommandChecks({ db, provider, newId, log, mdm_command_check_minutes })
  const checkRepeatedly = async () => {
    while (!over.signal.aborted) {
      await check(systemClock.now(), over.signal)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  for (const dispatcher of dispatchers) dispatcher.start()
  const background = [answer(), checkRepeatedly(), checkRepeatedly()]
  await Promise.all([command(), assign(), command()])
  await deleteSome()
  await vi.waitFor(
    async () => {
      expect(await dispatchesOf(db, org_id)).toEqual([])
      const { rows } = await sql`select from mdm_commands where completed_at is null`.execute(db)
      expect(rows).toHaveLength(0)
    },
    { timeout: 40_000, interval: 100 },
  )
  over.abort()
  await Promise.all(background)
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(1000)))

  expect(errors).toEqual([])
  const { rows } = await sql<{ commands: number; events: number; entries: number; taken: number }>`
    select (select count(*) from mdm_commands) as commands,
      (select count(distinct body::jsonb -> 'data' ->> 'id') from events
        where type = 'mdm.command.completed') as events,
      (select count(*) from mdm_audit_log
        where org_id = ${org_id} and action = 'command.completed') as entries,
      (select count(*) from mdm_commands where operation_name is not null) as taken`.execute(db)
  const [counts] = rows
  expect(counts?.events).toBe(counts?.commands)
  expect(counts?.entries).toBe(counts?.commands)
  // Commands that ended with their device may have been in flight, up to the limit of two processes.
  expect(google.taken.length - (counts?.taken ?? 0)).toBeLessThanOrEqual(32)
  expect(new Set(google.taken.map(({ operation }) => operation.name)).size).toBe(
    google.taken.length,
  )
}, 60_000)
