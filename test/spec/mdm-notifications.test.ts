/** OP-87: notifications of the provider are pulled from Pub/Sub, or pushed outside of `/v1`. */
import { afterAll, describe, expect, it, vi } from 'vitest'
import { startAndroidManagement } from '../../emulators/android-management/index.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { ownDatabase } from '../database.ts'
import { type Harness, openHarness } from '../harness.ts'
import { createClient } from '../support/android-management-client.ts'
import { withoutLimits } from '../support/calls.ts'
import { createReadyFleet } from '../support/mdm-fleet.ts'
import { type MdmWorld, withoutQuota } from '../support/mdm-world.ts'

const PUSH = '/hooks/android-management'
const AUDIENCE = 'https://vigil.example/hooks/android-management'
const ACCOUNT = 'push@vigil-emulator.iam.gserviceaccount.com'
const TOPIC = 'projects/vigil-emulator/topics/vigil-android'
const DRAIN_MS = 1000

/** Each emulator has its own database, because all of them number their messages from 1. */
const databases = { pulled: ownDatabase(), pushed: ownDatabase() }
const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

/** Opens an installation with all processes of a worker running. */
async function openWorker(db: Database, settings: Record<string, string> = {}): Promise<MdmWorld> {
  const emulator = await startAndroidManagement({ port: 0 })
  closing.push(() => emulator.close())
  const harness = await openHarness({
    db,
    settings: {
      ...withoutLimits(),
      ...withoutQuota(),
      VIGIL_ANDROID_MANAGEMENT_URL: emulator.url,
      ...settings,
    },
  })
  closing.push(() => harness.close())
  const { running } = harness.services.device_management
  for (const part of running) {
    part.start()
    closing.push(() => part.stop(DRAIN_MS))
  }
  const nothing = () => Promise.resolve()
  const settling = { settle: nothing, settleAfter: nothing, settleRetries: nothing, run: nothing }
  return { harness, emulator, control: emulator.control, ...settling, close: nothing }
}

const enrolled = async (world: MdmWorld) => {
  const fleet = await createReadyFleet(world)
  const { token_value } = await fleet.createToken(fleet.policy_id)
  world.control.enrollPhone({ token_value, reaction_ms: 0 })
  return fleet
}
const UNTIL = { timeout: 15_000, interval: 50 }

describe('notifications', () => {
  it('are pulled by a worker by default', async () => {
    const world = await openWorker(databases.pulled)
    expect(world.harness.services.device_management.running).toHaveLength(2)
    const fleet = await enrolled(world)
    await vi.waitFor(async () => expect(await fleet.devices()).toMatchObject([ACTIVE]), UNTIL)
    const answer = await world.harness.app.inject({ method: 'POST', url: PUSH, payload: {} })
    expect(answer.statusCode).toBe(404)
  })

  it('are pushed with a signature, and not pulled, when an audience is set', async () => {
    const world = await openWorker(databases.pushed, {
      VIGIL_ANDROID_PUSH_AUDIENCE: AUDIENCE,
      VIGIL_ANDROID_PUSH_ACCOUNT: ACCOUNT,
    })
    expect(world.harness.services.device_management.running).toHaveLength(1)
    const fleet = await createReadyFleet(world)
    await pushTo(world)
    const { token_value } = await fleet.createToken(fleet.policy_id)
    world.control.enrollPhone({ token_value, reaction_ms: 0 })
    await vi.waitFor(async () => expect(await fleet.devices()).toMatchObject([ACTIVE]), UNTIL)
    for (const authorization of [
      undefined,
      'Bearer',
      'Bearer forged',
      `Bearer ${'x.'.repeat(9)}`,
    ]) {
      const headers = authorization === undefined ? {} : { authorization }
      const request = { method: 'POST', url: PUSH, headers, payload: message() } as const
      expect((await world.harness.app.inject(request)).statusCode).toBe(401)
    }
    expect(JSON.stringify(world.harness.app.swagger())).not.toContain(PUSH)
    expect((await statusOf(world.harness, `/v1${PUSH}`)).status).toBe(404)
  })

  const ACTIVE = { state: 'active', compliance_state: 'compliant' }
  const message = () => ({ message: { messageId: '1', data: '', attributes: {} } })

  /** Creates a subscription that pushes, as an operator does. */
  async function pushTo({ harness, emulator }: MdmWorld): Promise<void> {
    const url = await harness.app.listen({ host: '127.0.0.1', port: 0 })
    const client = await createClient(emulator)
    const oidcToken = { serviceAccountEmail: ACCOUNT, audience: AUDIENCE }
    const pushConfig = { pushEndpoint: `${url}${PUSH}`, oidcToken }
    const answer = await client.call('PUT', 'projects/vigil-emulator/subscriptions/pushed', {
      topic: TOPIC,
      ackDeadlineSeconds: 60,
      pushConfig,
    })
    expect(answer.status).toBe(200)
  }

  async function statusOf(harness: Harness, path: string) {
    return await harness.call({ method: 'POST', path, body: {} })
  }
})
