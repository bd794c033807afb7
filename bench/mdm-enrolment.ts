/**
 * How fast devices that enrol are taken in: thousands of phones have told the emulator, and what they
 * told is fetched, applied and acknowledged, against bare inserts into the same server.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { applyOperations, endCommandsOfDevices } from '../src/modules/mdm/commands/completion.ts'
import { createConnection } from '../src/modules/mdm/connection/service.ts'
import { createDeviceWriter } from '../src/modules/mdm/devices/apply.ts'
import { createPuller } from '../src/modules/mdm/notifications/puller.ts'
import { createNotifications } from '../src/modules/mdm/notifications/service.ts'
import { readOverview } from '../src/modules/mdm/overview/store.ts'
import { createAndroidManagement } from '../src/modules/mdm/providers/android-management.ts'
import type { AndroidManagement, Answer } from '../src/modules/mdm/providers/port.ts'
import type { Stores } from '../src/stores.ts'
import type { Cleanup } from './cleanup.ts'
import { cpuSecondsSince } from './loop.ts'
import type { MdmBed } from './mdm.ts'
import type { EmulatorJob, EmulatorResult } from './mdm-emulator.ts'
import type { EnrolmentRound } from './mdm-report.ts'
import type { BenchOptions } from './options.ts'
import { postgresCpuSeconds } from './postgres-cpu.ts'
import { startWorker, type Worker } from './worker.ts'

type Emulator = Worker<EmulatorJob, EmulatorResult>

const DEVICES = 20_000
const DEVICES_QUICK = 2_000
const INSERTING_CLIENTS = 8
const DEADLINE_MS = 15_000
const DRAIN_MS = 5_000
const LOOK_MS = 20
/** Nothing more comes when nothing came for so long. */
const QUIET_MS = 1_500
const WAIT_MAX_MS = 240_000
const TOKEN_SECONDS = 86_400

export async function measureEnrolment(
  bed: MdmBed,
  options: BenchOptions,
  cleanup: Cleanup,
): Promise<EnrolmentRound[]> {
  const emulator: Emulator = startWorker('mdm-emulator', options.profile_folder)
  cleanup.add(emulator.stop)
  const { url } = await emulator.run({ step: 'start' })
  const { stores } = bed
  const connection = createConnection({
    ...stores,
    android_management_url: url,
    deadline_ms: DEADLINE_MS,
  })
  const provider = createAndroidManagement({
    connection: connection.resolve,
    deadline_ms: DEADLINE_MS,
    now: () => stores.clock.now(),
  })
  const { org_id, token_value } = await prepareEnrolment(stores, provider, emulator)
  const devices = options.is_quick ? DEVICES_QUICK : DEVICES
  const rounds: EnrolmentRound[] = []
  for (let round = 1; round <= options.rounds; round += 1) {
    bed.tell(`${devices} devices enrol, round ${round} of ${options.rounds}`)
    const inserts_per_second = (await insertBare(bed, options)).per_second
    await emulator.run({ step: 'enrol', token_value, count: devices })
    const taken = await drain(bed, provider, { org_id, expected: round * devices })
    rounds.push({ devices, ...taken, inserts_per_second })
  }
  await emulator.stop()
  return rounds
}

const insertBare = async ({ inserts, postgres }: MdmBed, { seconds }: BenchOptions) =>
  await inserts.run({
    address: postgres.address,
    clients: INSERTING_CLIENTS,
    warm_seconds: 0.5,
    seconds,
  })

/** From the first fetch to the last acknowledgement. */
async function drain(
  { stores, postgres }: MdmBed,
  provider: AndroidManagement,
  { org_id, expected }: { org_id: string; expected: number },
): Promise<Omit<EnrolmentRound, 'devices' | 'inserts_per_second'>> {
  const { db, clock, newId, log } = stores
  const settings = { mdm_grace_hours: 0, mdm_installation_grace_hours: 24 }
  const writer = createDeviceWriter({ newId, settings, endCommandsOfDevices })
  const { take } = createNotifications({ db, clock, newId, log, writer, applyOperations })
  let notifications = 0
  const begun = performance.now()
  let last = begun
  const cpu = process.cpuUsage()
  const postgresBefore = postgresCpuSeconds(postgres.cluster) ?? 0
  const puller = createPuller({
    provider,
    take: async (messages) => {
      const taken = await take(messages)
      notifications += taken.filter(({ is_done }) => is_done).length
      last = performance.now()
      return taken
    },
    hasEnterprise: () => Promise.resolve(true),
    log,
  })
  puller.start()
  const isDone = async () =>
    performance.now() - last > QUIET_MS &&
    (await readOverview(db, org_id)).active_devices === expected
  while (!(await isDone())) {
    if (performance.now() - begun > WAIT_MAX_MS) throw new Error('not all devices have enrolled')
    await sleep(LOOK_MS)
  }
  const spent = {
    node: cpuSecondsSince(cpu),
    postgres: (postgresCpuSeconds(postgres.cluster) ?? 0) - postgresBefore,
  }
  await puller.stop(DRAIN_MS)
  return {
    notifications,
    per_second: notifications / ((last - begun) / 1000),
    cpu_us: {
      node: (spent.node * 1e6) / notifications,
      postgres: (spent.postgres * 1e6) / notifications,
    },
  }
}

/** An organisation with an enterprise, a policy and a token that any number of phones can use. */
async function prepareEnrolment(
  { db, clock }: Stores,
  provider: AndroidManagement,
  emulator: Emulator,
): Promise<{ org_id: string; token_value: string }> {
  const [org_id, policy_id, token_id] = [randomUUID(), randomUUID(), randomUUID()]
  const now = clock.now()
  const signup = valueOf(await provider.createSignupUrl('https://console.example/'))
  const { enterprise_token } = await emulator.run({ step: 'sign_up', name: signup.name })
  const enterprise = valueOf(
    await provider.createEnterprise({ signup_url_name: signup.name, enterprise_token }),
  )
  const policyName = `${enterprise.name}/policies/${policy_id}`
  const { version } = valueOf(await provider.patchPolicy(policyName, { cameraDisabled: true }))
  const token = valueOf(
    await provider.createEnrollmentToken(enterprise.name, {
      policyName,
      duration: `${TOKEN_SECONDS}s`,
      oneTimeOnly: false,
      allowPersonalUsage: 'PERSONAL_USAGE_DISALLOWED',
      additionalData: JSON.stringify({ token_id }),
    }),
  )
  const project_id = valueOf(await provider.projectId())
  await db
    .insertInto('mdm_enterprises')
    .values({
      org_id,
      name: enterprise.name,
      project_id,
      display_name: 'Bench',
      created_at: now,
      listing_due_at: new Date(now.getTime() + TOKEN_SECONDS * 1000),
    })
    .execute()
  const kind = { org_id, management_mode: 'fully_managed' as const }
  const times = { created_at: now, updated_at: now }
  const stored = {
    version: 1,
    published_version: 1,
    provider_version: version,
    publish_error: null,
  }
  const text = { name: 'Tills', description: '', policy_json: { cameraDisabled: true } }
  await db
    .insertInto('mdm_policies')
    .values({ ...kind, id: policy_id, ...text, ...stored, ...times })
    .execute()
  await db
    .insertInto('mdm_enrollment_tokens')
    .values({
      ...kind,
      id: token_id,
      policy_id,
      provider_name: token.name,
      duration_hours: TOKEN_SECONDS / 3600,
      one_time: false,
      token_value: 'sealed',
      qr_content: 'sealed',
      expires_at: new Date(now.getTime() + TOKEN_SECONDS * 1000),
      created_by: null,
      created_at: now,
    })
    .execute()
  return { org_id, token_value: token.value }
}

function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value
  throw new Error(`the emulator refused: ${answer.fault.message}`)
}
