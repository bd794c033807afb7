/**
 * Managed devices agree with their provider although the service and its database are killed with
 * `kill -9` at any instant, the provider refuses requests, loses responses or is unavailable, and its
 * notifications are lost, duplicated and reordered: after the faults, devices, policies and commands
 * agree with the provider, nothing was issued twice, and acknowledged requests took effect.
 * `E2E_ROUNDS` sets how often each victim is killed, `E2E_AWAY_SECONDS` how long the provider is down.
 */
import { describe, expect, it } from 'vitest'
import {
  type AndroidControl,
  type AndroidEmulator,
  startAndroidManagement,
} from '../../emulators/android-management/index.ts'
import { createClient, PROJECT } from '../support/android-management-client.ts'
import { findingsOf } from './books.ts'
import { readFleetBooks } from './mdm-books.ts'
import { type Setup, setUp } from './mdm-client.ts'
import { heal } from './mdm-healing.ts'
import { type FleetLedger, newFleetLedger } from './mdm-ledger.ts'
import { type FleetTargets, startFleet } from './mdm-load.ts'
import { enrollMany, startPhones } from './mdm-phones.ts'
import { createRoom, isLinux, pause } from './program.ts'
import type { Member } from './reviewer.ts'
import {
  HEALING_VICTIMS,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  type Services,
  startServices,
  untilAnyInstant,
  urlsOf,
} from './rounds.ts'

const OUTAGE_MS = Number(process.env['E2E_AWAY_SECONDS'] ?? '3') * 1000

const SETTINGS = {
  VIGIL_RATE_LIMIT_CONSOLE: '1000000/1',
  VIGIL_ACCESS_TOKEN_MINUTES: '1440',
  VIGIL_MDM_RECONCILE_MINUTES: '1',
  VIGIL_MDM_COMMAND_CHECK_MINUTES: '1',
  VIGIL_ANDROID_BACKOFF_SECONDS: '1',
  // The leases of a killed process expire a while after this deadline.
  VIGIL_ANDROID_DEADLINE_MS: '3000',
  VIGIL_ANDROID_REQUESTS_PER_MINUTE: '100000',
  VIGIL_ANDROID_ENTERPRISE_REQUESTS_PER_MINUTE: '100000',
  VIGIL_ANDROID_POLICY_REQUESTS_PER_MINUTE: '100000',
  VIGIL_ANDROID_DEVICE_REQUESTS_PER_MINUTE: '100000',
  VIGIL_ANDROID_COMMAND_REQUESTS_PER_MINUTE: '100000',
  VIGIL_ANDROID_READING_REQUESTS_PER_MINUTE: '100000',
}
const FAULTS = {
  latency_ms: 200,
  error_rate: 0.01,
  lost_answer_rate: 0.02,
  notifications: { lost_rate: 0.05, duplicate_rate: 0.05, reorder_rate: 0.1 },
}
/** Leases expire, jobs run once a minute, and after an outage the provider is called rarely at first. */
const HEAL_MS = 360_000
const FIRST_PHONES = 15
/** Long enough for many phones to report something. */
const SILENCE_MS = 1500
/** Requests that are acknowledged before each kill, even on a busy machine. */
const COMMANDS_BEFORE_KILL = 20
const GROUP_COMMANDS_BEFORE_KILL = 1

// At the same time, because most of the time they wait for leases and jobs.
describe.skipIf(!isLinux).each(HEALING_VICTIMS)(
  'when $who is killed while devices are managed through a provider with faults',
  { concurrent: true },
  (victim) => {
    it('everything agrees with the provider afterwards, and nothing was issued twice', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS + OUTAGE_MS + HEAL_MS,
    }, async ({ onTestFinished }) => {
      const emulator = await startAndroidManagement({ port: 0 })
      onTestFinished(() => emulator.close())
      const room = createRoom()
      onTestFinished(() => room.close())
      const { control, url } = emulator
      const env = { ...SETTINGS, VIGIL_ANDROID_MANAGEMENT_URL: url }
      const options = { cwd: room.folder, env }
      const { data_dir, member, ...started } = await startServices(options, victim)
      let { services } = started
      await subscribe(emulator)
      const setup = await setUp(started.url, member, control)
      enrollMany(control, setup, FIRST_PHONES)

      const ledger = newFleetLedger()
      const phones = startPhones(control, setup)
      for (let round = 0; round < ROUNDS; round += 1) {
        const seed = Math.floor(Math.random() * 1_000_000)
        const faults = { ...FAULTS, seed, error_status: round % 2 === 0 ? 503 : 429 } as const
        control.setFaults(faults)
        const targets = targetsOf(services, member, setup)
        const load = startFleet(targets, ledger, `round${round}`)
        const isEnough = createCheck(ledger)
        while (!isEnough()) await pause(5)
        await untilAnyInstant()
        const isOutage = round === OUTAGE_ROUND
        control.setFaults({ ...faults, unreachable: isOutage })
        if (isOutage) await pause(OUTAGE_MS / 2)
        services = await victim.kill({ options, services, load })
        if (isOutage) await pause(OUTAGE_MS / 2)
        control.setFaults(faults)
      }
      await endWithoutNotifications(control, targetsOf(services, member, setup), ledger)
      await phones.stop()
      await heal(data_dir, emulator, HEAL_MS)

      for (const one of services) expect((await one.stop()).status).toBe(0)
      const { books, counts } = await readFleetBooks(data_dir, control, ledger)
      expect(findingsOf(books)).toEqual({})
      expect(ledger.commands.size).toBeGreaterThanOrEqual(ROUNDS * COMMANDS_BEFORE_KILL)
      expect(counts.devices).toBeGreaterThanOrEqual(FIRST_PHONES)
      expect(counts.commands['acknowledged']).toBeGreaterThan(0)
    })
  },
)

/** The last requests of the test have no notifications. */
async function endWithoutNotifications(
  control: AndroidControl,
  targets: FleetTargets,
  ledger: FleetLedger,
): Promise<void> {
  control.setFaults({ ...FAULTS, notifications: { lost_rate: 1 } })
  const load = startFleet(targets, ledger, 'last')
  const isEnough = createCheck(ledger)
  while (!isEnough()) await pause(5)
  await Promise.all([load.stop(), pause(SILENCE_MS)])
}

/** @returns whether enough requests were acknowledged since the call */
function createCheck({ commands, group_commands }: FleetLedger): () => boolean {
  const enough = commands.size + COMMANDS_BEFORE_KILL
  const enoughOfGroups = group_commands.size + GROUP_COMMANDS_BEFORE_KILL
  return () => commands.size >= enough && group_commands.size >= enoughOfGroups
}

/** Every run has an outage of the provider. */
const OUTAGE_ROUND = 0

/** A short deadline, so that messages pulled by a killed process are sent again during the test. */
async function subscribe(provider: AndroidEmulator): Promise<void> {
  const client = await createClient(provider)
  const topic = `${PROJECT}/topics/vigil-android`
  await client.call('PUT', topic, {})
  const subscription = { topic, ackDeadlineSeconds: ACK_DEADLINE_S }
  const path = `${PROJECT}/subscriptions/vigil-android`
  const { status } = await client.call('PUT', path, subscription)
  expect(status).toBe(200)
}

const ACK_DEADLINE_S = 10

const targetsOf = (services: Services, member: Member, setup: Setup): FleetTargets => ({
  urls: urlsOf(services),
  member,
  setup,
})
