import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../../../../emulators/android-management/index.ts'
import { ownDatabase } from '../../../../test/database.ts'
import { createManaged, type Managed } from '../../../../test/support/managed-devices.ts'
import { systemClock } from '../../../platform/clock.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { applyOperations, endCommandsOfDevices } from '../commands/completion.ts'
import { createDeviceWriter } from '../devices/device-writer.ts'
import {
  createAndroidManagement,
  type GoogleAndroidManagement,
} from '../providers/android-management.ts'
import type { Answer } from '../providers/port.ts'
import { createDeviceListings } from '../reconciliation/device-listings.ts'
import { createPuller } from './puller.ts'
import { createNotifications } from './service.ts'
import { hasEnterprise } from './store.ts'

const db = ownDatabase()
const newId = createIds()
const log = createLog('silent')
const writer = createDeviceWriter({
  newId,
  settings: { mdm_grace_hours: 0, mdm_installation_grace_hours: 24 },
  endCommandsOfDevices,
})
const { take } = createNotifications({
  db,
  clock: systemClock,
  newId,
  log,
  writer,
  applyOperations,
})

let emulator: AndroidEmulator
let provider: GoogleAndroidManagement
let puller: ReturnType<typeof createPuller>
beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  const { url, control } = emulator
  const addresses = { api_url: url, token_url: `${url}/token`, pubsub_url: url }
  provider = createAndroidManagement({
    connection: () => Promise.resolve({ account: control.serviceAccount(), ...addresses }),
    deadline_ms: 10_000,
    now: () => systemClock.now(),
  })
  puller = createPuller({ provider, take, hasEnterprise: () => hasEnterprise(db), log })
  puller.start()
})
afterAll(async () => {
  await puller.stop(5000)
  await emulator.close()
})

function valueIn<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(answer.fault.message)
  return answer.value
}

/** Creates an organization and an enrollment token. */
async function open(): Promise<{ managed: Managed; token: string }> {
  const signup = valueIn(await provider.createSignupUrl('https://console.example.com/back'))
  const { redirect_url } = emulator.control.completeSignup(signup.name)
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken') ?? ''
  const request = { signup_url_name: signup.name, enterprise_token }
  const enterprise = valueIn(await provider.createEnterprise(request))
  const managed = await createManaged(db, enterprise.name)
  const policyName = managed.policyName(managed.policy_id)
  valueIn(await provider.patchPolicy(policyName, { cameraDisabled: true }))
  const token = valueIn(
    await provider.createEnrollmentToken(enterprise.name, {
      policyName,
      duration: '3600s',
      oneTimeOnly: false,
      allowPersonalUsage: 'PERSONAL_USAGE_DISALLOWED',
      additionalData: JSON.stringify({ token_id: managed.token_id }),
    }),
  )
  return { managed, token: token.value }
}

/** Runs a listing of the provider's devices. */
async function list({ org_id }: Managed): Promise<void> {
  await db
    .updateTable('mdm_enterprises')
    .set({ listing_due_at: new Date(0) })
    .where('org_id', '=', org_id)
    .execute()
  const listings = createDeviceListings({
    db,
    provider,
    writer,
    clock: systemClock,
    newId,
    log,
    mdm_reconcile_minutes: 60,
  })
  await listings(systemClock.now(), new AbortController().signal)
}

const devicesOf = ({ org_id }: Managed) =>
  db.selectFrom('mdm_devices').selectAll().where('org_id', '=', org_id).execute()
const eventsOf = async ({ org_id }: Managed, type: 'mdm.device.enrolled') =>
  (
    await db
      .selectFrom('events')
      .select('id')
      .where('org_id', '=', org_id)
      .where('type', '=', type)
      .execute()
  ).length
const eventually = (check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: 15_000, interval: 100 })

describe('phones that enroll and report', () => {
  it('are up to date seconds after a lock that other organizations do not notice', async () => {
    const [held, free] = [await open(), await open()]
    const [phone, neighbor] = [held, free].map(({ token: token_value }) =>
      emulator.control.enrollPhone({ token_value, reaction_ms: 0 }),
    )
    const stateOf = async (managed: Managed) =>
      (await devicesOf(managed)).map((device) => device.compliance_state)
    await eventually(async () => {
      expect(await stateOf(held.managed)).toEqual(['compliant'])
      expect(await stateOf(free.managed)).toEqual(['compliant'])
    })
    const { org_id } = held.managed
    const begun = performance.now()
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from mdm_enterprises where org_id = ${org_id} for update`.execute(tx)
      // In two pulls, so that batches of the same enterprise meet.
      emulator.control.violate(phone?.id ?? '', { setting_name: 'passwordPolicies' })
      await sleep(200)
      emulator.control.violate(phone?.id ?? '', { setting_name: 'encryptionPolicy' })
      emulator.control.violate(neighbor?.id ?? '', { setting_name: 'passwordPolicies' })
      await sleep(2300)
      expect(await stateOf(free.managed)).toEqual(['non_compliant'])
      expect(await stateOf(held.managed)).toEqual(['compliant'])
    })
    await vi.waitFor(
      async () => {
        const [device] = await devicesOf(held.managed)
        expect(device?.non_compliance_details).toHaveLength(2)
      },
      { timeout: 5000 - (performance.now() - begun), interval: 50 },
    )
  })

  it('have the right state after duplicate and reordered notifications', async () => {
    const { managed, token } = await open()
    emulator.control.setFaults({
      seed: 5,
      notifications: { lost_rate: 0, duplicate_rate: 0.5, reorder_rate: 0.5 },
    })
    const phones = Array.from({ length: 20 }, () =>
      emulator.control.enrollPhone({ token_value: token, reaction_ms: 0 }),
    )
    await eventually(async () => {
      const devices = await devicesOf(managed)
      expect(devices.map(({ state }) => state)).toEqual(phones.map(() => 'active'))
      expect(devices.every((device) => device.compliance_state === 'compliant')).toBe(true)
    })
    for (const { id } of phones.slice(0, 8)) {
      emulator.control.violate(id, { setting_name: 'passwordPolicies' })
    }
    for (const { id } of phones.slice(0, 4)) emulator.control.repair(id, {})
    await eventually(async () => {
      const states = (await devicesOf(managed)).map((device) => device.compliance_state)
      expect(states.filter((state) => state === 'non_compliant')).toHaveLength(4)
    })
    emulator.control.setFaults({})
    const [device] = await devicesOf(managed)
    expect(device).toMatchObject({
      policy_id: managed.policy_id,
      applied_policy_id: managed.policy_id,
      enrollment_token_id: managed.token_id,
    })
    expect(await eventsOf(managed, 'mdm.device.enrolled')).toBe(20)
  })

  it('are found by a listing when all their notifications were lost', async () => {
    const { managed, token } = await open()
    emulator.control.setFaults({
      seed: 5,
      notifications: { lost_rate: 1, duplicate_rate: 0, reorder_rate: 0 },
    })
    for (let i = 0; i < 120; i += 1) {
      emulator.control.enrollPhone({ token_value: token, reaction_ms: 0 })
    }
    await eventually(async () => {
      await list(managed)
      const devices = await devicesOf(managed)
      expect(devices.filter(({ state }) => state === 'active')).toHaveLength(120)
    })
    emulator.control.setFaults({})
    expect(await eventsOf(managed, 'mdm.device.enrolled')).toBe(120)
  })

  it('stay the same device when the phone is reset and enrolled again', async () => {
    const { managed, token } = await open()
    const phone = { token_value: token, serial_number: 'S-again', reaction_ms: 0 }
    const { id } = emulator.control.enrollPhone(phone)
    await eventually(async () => {
      expect((await devicesOf(managed)).map(({ state }) => state)).toEqual(['active'])
    })
    const [before] = await devicesOf(managed)
    emulator.control.resetPhone(id)
    emulator.control.enrollPhone(phone)
    await eventually(async () => {
      const [after, another] = await devicesOf(managed)
      expect(another).toBeUndefined()
      expect(after?.id).toBe(before?.id)
      expect(after?.provider_name).not.toBe(before?.provider_name)
      expect(after?.state).toBe('active')
    })
    // The provider still lists the previous enrollment of the phone.
    const { devices } = valueIn(await provider.listDevices(managed.enterprise, undefined))
    expect(devices).toHaveLength(2)
    await list(managed)
    expect(await devicesOf(managed)).toHaveLength(1)
    expect(await eventsOf(managed, 'mdm.device.enrolled')).toBe(2)
  })
})
