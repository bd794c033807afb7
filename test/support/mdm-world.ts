/**
 * An installation in front of the emulator of the provider. What runs beside requests is driven from
 * here, until nothing is left to do.
 */
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../../emulators/android-management/index.ts'
import { type Client, createClient } from '../../emulators/android-management/testing.ts'
import { readMessage } from '../../src/modules/mdm/providers/pubsub.ts'
import type { Log } from '../../src/platform/log.ts'
import { ownDatabase } from '../database.ts'
import { type Harness, openHarness } from '../harness.ts'
import { withoutLimits } from './calls.ts'

export type MdmWorld = {
  harness: Harness
  emulator: AndroidEmulator
  /** Until nothing waits for the provider, for phones that talk by themselves, or to be applied. */
  settle(): Promise<void>
  close(): Promise<void>
}

export type MdmOptions = { settings?: Record<string, string>; log?: Log }

const SUBSCRIPTION = 'projects/vigil-emulator/subscriptions/vigil-android'
const PULLED_MAX = 500
const STEP_MS = 5
const STEPS_MAX = 2000
/** What one round set going is seen by the next. */
const QUIET_ROUNDS = 2
const DRAIN_MS = 1000

/** The quota of the provider is not what the tests are about. */
export const withoutQuota = (): Record<string, string> =>
  Object.fromEntries(
    ['', 'ENTERPRISE_', 'POLICY_', 'DEVICE_', 'COMMAND_', 'READING_'].map((name) => [
      `VIGIL_ANDROID_${name}REQUESTS_PER_MINUTE`,
      '100000',
    ]),
  )

/** For a whole test file, with a database of its own. */
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
    if (!world) throw new Error('the world is only there inside of tests')
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
      const waits = await whatWaits(harness, emulator, client)
      if (step === STEPS_MAX) throw new Error(`it does not come to rest: ${waits}`)
      quiet = waits === undefined ? quiet + 1 : 0
      await setTimeout(STEP_MS)
    }
  }
  return {
    harness,
    emulator,
    settle,
    close: async () => {
      await dispatcher?.stop(DRAIN_MS)
      await harness.close()
      await emulator.close()
    },
  }
}

/** Does what it can about it. @returns undefined when nothing does */
async function whatWaits(
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

/** As the puller does, without waiting. @returns how many there were */
async function applyNotifications(
  harness: Harness,
  emulator: AndroidEmulator,
  client: Client,
): Promise<number> {
  if (emulator.control.getFaults().away === true) return 0
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
