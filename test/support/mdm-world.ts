/**
 * An installation in front of the emulator of the provider, with its background work driven by the test
 * until nothing is left to do.
 */
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import {
  type AndroidControl,
  type AndroidEmulator,
  startAndroidManagement,
} from '../../emulators/android-management/index.ts'
import { readMessage } from '../../src/modules/mdm/providers/pubsub.ts'
import type { Log } from '../../src/platform/log.ts'
import { ownDatabase } from '../database.ts'
import { type Harness, openHarness } from '../harness.ts'
import { type Client, createClient } from './android-management-client.ts'
import { withoutLimits } from './calls.ts'

export type MdmWorld = {
  harness: Harness
  emulator: AndroidEmulator
  control: AndroidControl
  /** Waits until no dispatch, no automatic phone and no notification has anything left to do. */
  settle(): Promise<void>
  /** Acts as the provider or a phone, and settles. */
  settleAfter(act: (control: AndroidControl) => unknown): Promise<void>
  /** Makes the dispatches that wait for a retry due, and settles. */
  settleRetries(): Promise<void>
  /** Runs a job as it will run in this number of milliseconds. */
  run(job: 'checkCommands' | 'flipCompliance' | 'listDevices', inMs?: number): Promise<void>
  close(): Promise<void>
}

export type MdmOptions = { settings?: Record<string, string>; log?: Log }

const SUBSCRIPTION = 'projects/vigil-emulator/subscriptions/vigil-android'
const PULLED_MAX = 500
const STEP_MS = 5
const STEPS_MAX = 2000
/** The work that one round starts is only visible to the next. */
const QUIET_ROUNDS = 2
const DRAIN_MS = 1000

/** Settings that raise the request limits out of the way. */
export const withoutQuota = (): Record<string, string> =>
  Object.fromEntries(
    ['', 'ENTERPRISE_', 'POLICY_', 'DEVICE_', 'COMMAND_', 'READING_'].map((name) => [
      `VIGIL_ANDROID_${name}REQUESTS_PER_MINUTE`,
      '100000',
    ]),
  )

/** Opens an installation for a whole test file, with its own database. */
export function useMdmWorld(options: MdmOptions = {}): () => MdmWorld {
  const db = ownDatabase()
  let world: MdmWorld | undefined
  beforeAll(async () => {
    const emulator = await startAndroidManagement({ port: 0 })
    const harness = await openHarness({
      db,
      ...(options.log && { log: options.log }),
      settings: {
        ...withoutLimits(),
        ...withoutQuota(),
        VIGIL_ANDROID_MANAGEMENT_URL: emulator.url,
        ...options.settings,
      },
    })
    world = await openWorld(harness, emulator)
  })
  afterAll(async () => await world?.close())
  return () => {
    if (!world) throw new Error('The world is only available inside of tests')
    return world
  }
}

async function openWorld(harness: Harness, emulator: AndroidEmulator): Promise<MdmWorld> {
  const { device_management } = harness.services
  const [dispatcher] = device_management.running
  dispatcher?.start()
  const client = await createClient(emulator)
  const settle = async () => {
    let quiet = 0
    for (let step = 0; quiet < QUIET_ROUNDS; step += 1) {
      const pending = await pendingWork(harness, emulator, client)
      if (step === STEPS_MAX) throw new Error(`The world does not settle: ${pending}`)
      quiet = pending === undefined ? quiet + 1 : 0
      await setTimeout(STEP_MS)
    }
  }
  return {
    harness,
    emulator,
    control: emulator.control,
    settle,
    settleAfter: async (act) => {
      act(emulator.control)
      await settle()
    },
    settleRetries: async () => {
      const dispatches = harness.stores.db.updateTable('mdm_dispatches')
      await dispatches.set({ due_at: new Date(0) }).execute()
      await settle()
    },
    run: async (job, inMs = 0) => {
      await device_management[job](new Date(Date.now() + inMs), AbortSignal.timeout(10_000))
    },
    close: async () => {
      await dispatcher?.stop(DRAIN_MS)
      await harness.close()
      await emulator.close()
    },
  }
}

/** Applies the pending notifications. @returns a description of the work, undefined without any */
async function pendingWork(
  harness: Harness,
  emulator: AndroidEmulator,
  client: Client,
): Promise<string | undefined> {
  const { rows } = await sql<{ kind: string }>`
    select kind from mdm_dispatches where due_at <= now() or leased_until > now()`.execute(
    harness.stores.db,
  )
  const busy = busyPhones(emulator)
  const applied = await applyNotifications(harness, emulator, client)
  if (rows.length === 0 && busy === 0 && applied === 0) return undefined
  return `${rows.map(({ kind }) => kind).join()}; phones: ${busy}; notifications: ${applied}`
}

function busyPhones(emulator: AndroidEmulator): number {
  const versions = new Map(
    emulator.control.truth().policies.map(({ name, version }) => [name, version]),
  )
  return emulator.control.listPhones().filter((phone) => {
    const { device, applied_policy: applied, pending_commands } = phone
    if (phone.device_name === null || phone.is_silent || !phone.is_automatic) return false
    if (device === null || pending_commands.length > 0) return true
    return (
      versions.has(device.policyName ?? '') &&
      (applied?.name !== device.policyName || applied?.version !== versions.get(applied?.name))
    )
  }).length
}

type Pulled = { receivedMessages?: { ackId: string; message: unknown }[] }

/** Does what the puller does, without waiting. @returns the number of notifications */
async function applyNotifications(
  harness: Harness,
  emulator: AndroidEmulator,
  client: Client,
): Promise<number> {
  if (emulator.control.getFaults().unreachable === true) return 0
  const { body } = await client.call<Pulled>('POST', `${SUBSCRIPTION}:pull`, {
    maxMessages: PULLED_MAX,
    returnImmediately: true,
  })
  const received = (body.receivedMessages ?? []).flatMap(({ ackId, message }) => {
    const read = readMessage(message)
    return read ? [{ ...read, ack_id: ackId }] : []
  })
  if (received.length === 0) return 0
  const taken = await harness.services.device_management.notifications.take(received)
  const done = new Set(taken.flatMap(({ message_id, is_done }) => (is_done ? [message_id] : [])))
  const ackIds = received.flatMap(({ message_id, ack_id }) => (done.has(message_id) ? ack_id : []))
  await client.call('POST', `${SUBSCRIPTION}:acknowledge`, { ackIds })
  const again = received.flatMap(({ message_id, ack_id }) => (done.has(message_id) ? [] : ack_id))
  if (again.length > 0) {
    const ackDeadlineSeconds = 0
    await client.call('POST', `${SUBSCRIPTION}:modifyAckDeadline`, {
      ackIds: again,
      ackDeadlineSeconds,
    })
  }
  return received.length
}
