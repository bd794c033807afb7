import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../../../../emulators/android-management/index.ts'
import { ownDatabase } from '../../../../test/database.ts'
import {
  addCommand,
  addDispatch,
  addPolicy,
  commandOf,
  eventsOf,
} from '../../../../test/support/mdm-dispatch.ts'
import { seeded } from '../../../../test/support/mdm-google.ts'
import { createProcess, endDelays, endLeases } from '../../../../test/support/mdm-process.ts'
import { systemClock } from '../../../platform/clock.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { applyOperations, endCommandsOfDevices } from '../commands/completion.ts'
import { createDeviceWriter } from '../devices/device-writer.ts'
import type { DeviceRow } from '../devices/record.ts'
import { createNotifications } from '../notifications/service.ts'
import {
  createAndroidManagement,
  type GoogleAndroidManagement,
} from '../providers/android-management.ts'
import type { Answer } from '../providers/port.ts'

const db = ownDatabase()
const newId = createIds()
const writer = createDeviceWriter({
  newId,
  settings: { mdm_grace_hours: 0, mdm_installation_grace_hours: 24 },
  endCommandsOfDevices,
})
const notifications = createNotifications({
  db,
  clock: systemClock,
  newId,
  log: createLog('silent'),
  writer,
  applyOperations,
})
let emulator: AndroidEmulator
let provider: GoogleAndroidManagement

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  const { url, control } = emulator
  const addresses = { api_url: url, token_url: `${url}/token`, pubsub_url: url }
  provider = createAndroidManagement({
    connection: () => Promise.resolve({ account: control.serviceAccount(), ...addresses }),
    deadline_ms: 10_000,
    now: () => systemClock.now(),
  })
})
afterAll(async () => await emulator.close())

function valueIn<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(answer.fault.message)
  return answer.value
}

async function openEnterprise() {
  const org = randomUUID()
  const signup = valueIn(await provider.createSignupUrl('https://console.example.com/back'))
  const { redirect_url } = emulator.control.completeSignup(signup.name)
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken') ?? ''
  const request = { signup_url_name: signup.name, enterprise_token }
  const { name } = valueIn(await provider.createEnterprise(request))
  await sql`insert into mdm_enterprises (org_id, name, project_id, display_name, created_at,
    listing_due_at) values (${org}, ${name}, 'project', 'Test', now(), now())`.execute(db)
  const policy = await addPolicy(db, org)
  await addDispatch(db, org, 'publish_policy', policy.id)
  await createProcess(db, { provider, writer }).run()
  return { org, name, policy }
}

async function enroll(count: number): Promise<{ org: string; devices: DeviceRow[] }> {
  const { org, name, policy } = await openEnterprise()
  const token = valueIn(
    await provider.createEnrollmentToken(name, {
      policyName: `${name}/policies/${policy.id}`,
      duration: '3600s',
      oneTimeOnly: false,
      allowPersonalUsage: 'PERSONAL_USAGE_DISALLOWED',
      additionalData: '{}',
    }),
  )
  for (let each = 0; each < count; each += 1) {
    emulator.control.enrollPhone({ token_value: token.value, reaction_ms: 0 })
  }
  await vi.waitFor(
    async () => {
      await takeNotifications()
      expect(await devicesOf(org)).toHaveLength(count)
    },
    { timeout: 20_000 },
  )
  return { org, devices: await devicesOf(org) }
}

const devicesOf = (org: string): Promise<DeviceRow[]> =>
  db.selectFrom('mdm_devices').selectAll().where('org_id', '=', org).orderBy('id').execute()

async function takeNotifications(): Promise<void> {
  const pulled = valueIn(await provider.pull(500, AbortSignal.timeout(5000)))
  const taken = await notifications.take(pulled)
  const done = new Set(taken.filter(({ is_done }) => is_done).map(({ message_id }) => message_id))
  await provider.acknowledge(
    pulled.filter(({ message_id }) => done.has(message_id)).map(({ ack_id }) => ack_id),
  )
}

describe('with the emulated provider', () => {
  it('commands of every kind are sent and completed', async () => {
    const { devices, org } = await enroll(1)
    const [device] = devices
    if (!device) throw new Error('No device was enrolled')
    const lock = await addCommand(db, device)
    const reset = await addCommand(db, device, { type: 'RESET_PASSWORD', new_password: '824193' })
    const parameters = { package_names: ['com.android.chrome'] }
    const clear = await addCommand(db, device, { type: 'CLEAR_APP_DATA', parameters })
    for (let each = 0; each < 3; each += 1) await createProcess(db, { provider, writer }).run()
    await vi.waitFor(
      async () => {
        await takeNotifications()
        for (const command of [lock, reset, clear]) {
          expect((await commandOf(db, command)).completed_at).not.toBeNull()
        }
      },
      { timeout: 20_000 },
    )
    expect((await commandOf(db, lock)).status).toBe('acknowledged')
    const completed = (await eventsOf(db, org)).filter(
      ({ type }) => type === 'mdm.command.completed',
    )
    expect(completed).toHaveLength(3)
  })

  it('a device that is deleted there is deleted here, with its pending commands', async () => {
    const { devices, org } = await enroll(2)
    const [gone, stays] = devices
    if (!gone || !stays) throw new Error('No devices were enrolled')
    await sql`update mdm_devices set deletion_requested_at = now() where id = ${gone.id}`.execute(
      db,
    )
    await addDispatch(db, org, 'delete_device', gone.id)
    const process = createProcess(db, { provider, writer })
    const jobs = await process.claim()
    const waiting = await addCommand(db, gone)
    await process.settle(await Promise.all(jobs.map(process.attempt)))
    const states = new Map((await devicesOf(org)).map(({ id, state }) => [id, state]))
    expect(states.get(gone.id)).toBe('deleted')
    expect(states.get(stays.id)).not.toBe('deleted')
    expect((await commandOf(db, waiting)).status).toBe('cancelled')
    expect(await createProcess(db, { provider, writer }).claim()).toEqual([])
  })

  it.each([1, 2, 3])(
    'lost answers, errors and killed processes neither repeat nor lose a command (run %i)',
    async (seed) => {
      const { devices } = await enroll(12)
      const commands = []
      for (const device of devices) {
        for (const type of ['LOCK', 'REBOOT', 'LOCK'] as const) {
          commands.push(await addCommand(db, device, { type }))
        }
      }
      emulator.control.setFaults({ lost_answer_rate: 0.25, error_rate: 0.15, seed })
      const random = seeded(seed)
      for (let round = 0; round < 40; round += 1) {
        const processes = [
          createProcess(db, { provider, writer }),
          createProcess(db, { provider, writer }),
        ]
        await Promise.all(
          processes.map(async (process) => {
            const attempts = await Promise.all((await process.claim(10)).map(process.attempt))
            if (random() > 0.15) await process.settle(attempts)
          }),
        )
        await endLeases(db)
        await endDelays(db)
        if (round === 25) emulator.control.setFaults({})
      }
      const rows = await Promise.all(commands.map((command) => commandOf(db, command)))
      expect(rows.filter(({ operation_name }) => operation_name === null)).toEqual([])
      const { issued } = emulator.control.truth()
      for (const { provider_name } of devices) {
        const counts = issued.filter(({ device }) => provider_name.endsWith(device))
        const byType = new Map(counts.map(({ type, count }) => [type, count]))
        expect([byType.get('LOCK'), byType.get('REBOOT')]).toEqual([2, 1])
      }
    },
    60_000,
  )
})
