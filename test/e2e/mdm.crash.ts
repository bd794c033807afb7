/**
 * Managed devices are what their provider says although the service and its database die by `kill -9`
 * at any instant, the provider refuses and loses answers or is away, and its notifications are lost,
 * come twice and in disorder: once that is over, devices, policies and commands agree with the
 * provider, nothing was issued twice, and what was acknowledged was done. `E2E_ROUNDS` sets how many
 * times each victim is killed, `E2E_AWAY_SECONDS` for how long the provider is away once.
 */
import { afterEach, describe, expect, it } from 'vitest'
import {
  type AndroidControl,
  type AndroidEmulator,
  startAndroidManagement,
} from '../../emulators/android-management/index.ts'
import { createClient, PROJECT } from '../../emulators/android-management/testing.ts'
import { NOTHING_WRONG, readFleetBooks } from './mdm-books.ts'
import { type Setup, setUp } from './mdm-client.ts'
import { heal } from './mdm-healing.ts'
import { type FleetLedger, newFleetLedger } from './mdm-ledger.ts'
import { type FleetTargets, startFleet } from './mdm-load.ts'
import { enrolMany, startPhones } from './mdm-phones.ts'
import { createRoom, isLinux, pause, type Room, serve } from './program.ts'
import { type Member, signIn } from './reviewer.ts'
import {
  HEALING_VICTIMS,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  type Services,
  untilAnyInstant,
} from './rounds.ts'

const AWAY_MS = Number(process.env['E2E_AWAY_SECONDS'] ?? '3') * 1000

const SETTINGS = {
  VIGIL_RATE_LIMIT_CONSOLE: '1000000/1',
  VIGIL_ACCESS_TOKEN_MINUTES: '1440',
  VIGIL_MDM_RECONCILE_MINUTES: '1',
  VIGIL_MDM_COMMAND_CHECK_MINUTES: '1',
  VIGIL_ANDROID_BACKOFF_SECONDS: '1',
  // What the dead had on its way is free when its lease is over, after this and a while.
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
/** Leases end, jobs begin once a minute, and a provider that was away is asked seldom at first. */
const HEAL_MS = 360_000
const FIRST_PHONES = 15
/** Long enough for many phones to report something. */
const SILENCE_MS = 1500
/** So much is acknowledged before anybody dies, however busy the machine is. */
const WARM_COMMANDS = 20
const WARM_GROUP_COMMANDS = 1

let room: Room | undefined
let emulator: AndroidEmulator | undefined
afterEach(async () => {
  await room?.close()
  await emulator?.close()
})

describe.skipIf(!isLinux).each(HEALING_VICTIMS)(
  'when $who is killed while devices are managed through a provider with faults',
  (victim) => {
    it('everything agrees with the provider afterwards, and nothing was issued twice', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS + AWAY_MS + HEAL_MS,
    }, async () => {
      room = createRoom()
      emulator = await startAndroidManagement({ port: 0 })
      const { control, url } = emulator
      const env = { ...SETTINGS, VIGIL_ANDROID_MANAGEMENT_URL: url }
      const options = { cwd: room.folder, env }
      const first = await serve(options)
      const { first_run, data_dir } = first.ready
      if (!first_run) throw new Error('it was not the first start')
      let services: Services = victim.services === 2 ? [first, await serve(options)] : [first]
      const token = await signIn(first.ready.url, first_run)
      const member: Member = { org_id: first_run.org_id, token }
      await subscribe(emulator)
      const setup = await setUp(first.ready.url, member, control)
      enrolMany(control, setup, FIRST_PHONES)

      const ledger = newFleetLedger()
      const phones = startPhones(control, setup)
      for (let round = 0; round < ROUNDS; round += 1) {
        const seed = Math.floor(Math.random() * 1_000_000)
        const faults = { ...FAULTS, seed, error_status: round % 2 === 0 ? 503 : 429 } as const
        control.setFaults(faults)
        const targets = targetsOf(services, member, setup)
        const load = startFleet(targets, ledger, `round${round}`)
        const isWarm = warmthOf(ledger)
        while (!isWarm()) await pause(5)
        await untilAnyInstant()
        const isAway = round === AWAY_ROUND
        control.setFaults({ ...faults, away: isAway })
        if (isAway) await pause(AWAY_MS / 2)
        services = await victim.kill({ options, services, load })
        if (isAway) await pause(AWAY_MS / 2)
        control.setFaults(faults)
      }
      await endInSilence(control, targetsOf(services, member, setup), ledger)
      await phones.stop()
      await heal(data_dir, emulator, HEAL_MS)

      for (const one of services) expect((await one.stop()).status).toBe(0)
      const { books, counts } = await readFleetBooks(data_dir, control, ledger)
      expect(books).toEqual(NOTHING_WRONG)
      expect(ledger.commands.size).toBeGreaterThanOrEqual(ROUNDS * WARM_COMMANDS)
      expect(counts.devices).toBeGreaterThanOrEqual(FIRST_PHONES)
      expect(counts.commands['acknowledged']).toBeGreaterThan(0)
    })
  },
)

/** Nothing tells of what comes last. */
async function endInSilence(
  control: AndroidControl,
  targets: FleetTargets,
  ledger: FleetLedger,
): Promise<void> {
  control.setFaults({ ...FAULTS, notifications: { lost_rate: 1 } })
  const load = startFleet(targets, ledger, 'last')
  const isWarm = warmthOf(ledger)
  while (!isWarm()) await pause(5)
  await Promise.all([load.stop(), pause(SILENCE_MS)])
}

/** @returns whether enough was acknowledged since */
function warmthOf({ commands, group_commands }: FleetLedger): () => boolean {
  const enough = commands.size + WARM_COMMANDS
  const enoughOfGroups = group_commands.size + WARM_GROUP_COMMANDS
  return () => commands.size >= enough && group_commands.size >= enoughOfGroups
}

/** Every run has one. */
const AWAY_ROUND = 0

/** As an operator might: what a dead process has pulled comes again while the test goes on. */
async function subscribe(provider: AndroidEmulator): Promise<void> {
  const client = await createClient(provider)
  const topic = `${PROJECT}/topics/vigil-android`
  await client.call('PUT', topic, {})
  const wish = { topic, ackDeadlineSeconds: ACK_DEADLINE_S }
  const { status } = await client.call('PUT', `${PROJECT}/subscriptions/vigil-android`, wish)
  expect(status).toBe(200)
}

const ACK_DEADLINE_S = 10

const targetsOf = (services: Services, member: Member, setup: Setup): FleetTargets => ({
  urls: services.map(({ ready }) => ready.url),
  member,
  setup,
})
