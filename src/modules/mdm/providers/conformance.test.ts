import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../../../../emulators/android-management/index.ts'
import {
  type Answerer,
  type CheckedExchanges,
  forwardTo,
  startChecked,
} from '../../../../test/support/checked-exchanges.ts'
import {
  createRecorded,
  RECORDED_ENTERPRISE_TOKEN,
} from '../../../../test/support/recorded-google.ts'
import type { ServiceAccount } from '../../../platform/google/service-account.ts'
import { createAndroidManagement, type GoogleAndroidManagement } from './android-management.ts'
import type { Answer, PulledMessage, WireDevice } from './port.ts'

/** A side that answers the API, and the sign-ups and phones outside of the API. */
type World = {
  account: ServiceAccount
  answer: Answerer
  completeSignup: (url: string) => string
  enroll: (tokenValue: string) => void
  canEnroll: (tokenValue: string) => boolean
  close: () => Promise<void>
}

async function emulatedWorld(): Promise<World> {
  const emulator: AndroidEmulator = await startAndroidManagement({ port: 0 })
  const { control } = emulator
  const enroll = (token_value: string): void => {
    control.enrollPhone({ token_value, reaction_ms: 1 })
  }
  return {
    account: control.serviceAccount(),
    answer: forwardTo(emulator.url),
    completeSignup: (url) => {
      const id = new URL(url).pathname.split('/').at(-1) ?? ''
      const { redirect_url } = control.completeSignup(id, { display_name: 'Example Ltd' })
      return new URL(redirect_url).searchParams.get('enterpriseToken') ?? ''
    },
    enroll,
    canEnroll: (token_value) => {
      try {
        enroll(token_value)
        return true
      } catch {
        return false
      }
    },
    close: emulator.close,
  }
}

function recordedWorld(): Promise<World> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return Promise.resolve({
    account: {
      project_id: 'example-project',
      client_email: 'vigil@example-project.iam.gserviceaccount.com',
      private_key_id: 'a1b2c3',
      private_key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    },
    answer: createRecorded(),
    completeSignup: () => RECORDED_ENTERPRISE_TOKEN,
    enroll: () => undefined,
    canEnroll: () => false,
    close: () => Promise.resolve(),
  })
}

const valueOf = <T>(answer: Answer<T>): T => {
  if (!answer.ok) throw new Error(answer.fault.message)
  return answer.value
}

describe.each([
  ['the emulator', emulatedWorld],
  ['recorded answers', recordedWorld],
])('the adapter and %s', (_, startWorld) => {
  let world: World
  let exchanges: CheckedExchanges
  let provider: GoogleAndroidManagement
  let enterprise = ''
  let device: WireDevice = {}
  const TOKEN_DATA = JSON.stringify({ token_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07' })
  const signal = new AbortController().signal
  const deviceName = () => device.name ?? ''
  const createToken = async () =>
    valueOf(
      await provider.createEnrollmentToken(enterprise, {
        policyName: policyName(),
        duration: '604800s',
        oneTimeOnly: false,
        allowPersonalUsage: 'PERSONAL_USAGE_DISALLOWED',
        additionalData: TOKEN_DATA,
      }),
    )
  const policyName = () => `${enterprise}/policies/policy1`

  beforeAll(async () => {
    world = await startWorld()
    exchanges = await startChecked(world.answer)
    const { url } = exchanges
    provider = createAndroidManagement({
      connection: () =>
        Promise.resolve({
          account: world.account,
          api_url: url,
          token_url: `${url}/token`,
          pubsub_url: url,
        }),
      deadline_ms: 10_000,
      now: () => new Date(),
    })
    const signup = valueOf(await provider.createSignupUrl('https://vigil.example/callback?state=1'))
    const created = await provider.createEnterprise({
      signup_url_name: signup.name,
      enterprise_token: world.completeSignup(signup.url),
    })
    enterprise = valueOf(created).name
  })

  afterAll(async () => {
    await exchanges.close()
    await world.close()
  })

  it('sign up an enterprise', async () => {
    expect(enterprise).toMatch(/^enterprises\/[A-Za-z0-9]+$/)
    expect(valueOf(await provider.projectId())).toBe(world.account.project_id)
  })

  it('create no enterprise with a wrong token, and do not repeat the token', async () => {
    const answer = await provider.createEnterprise({
      signup_url_name: 'signupUrls/C1',
      enterprise_token: 'wrong-secret',
    })
    expect(answer).toMatchObject({ ok: false, fault: { kind: 'rejected', is_ambiguous: false } })
    expect(JSON.stringify(answer)).not.toContain('wrong-secret')
  })

  it('publish a policy and return its version, also when nothing changed', async () => {
    const policy = { maximumTimeToLock: '300000', playStoreMode: 'BLACKLIST' }
    const { version } = valueOf(await provider.patchPolicy(policyName(), policy))
    expect(version).toBeGreaterThan(0)
    expect(valueOf(await provider.patchPolicy(policyName(), policy))).toEqual({ version })
  })

  it('create a token that a phone enrolls with and whose data is returned with the device', async () => {
    const token = await createToken()
    expect(JSON.stringify(JSON.parse(token.qrCode))).toContain(token.value)
    world.enroll(token.value)
    const { devices } = valueOf(await provider.listDevices(enterprise, undefined))
    expect(devices).toHaveLength(1)
    device = devices[0] ?? {}
    expect(device).toMatchObject({
      managementMode: 'DEVICE_OWNER',
      ownership: 'COMPANY_OWNED',
      enrollmentTokenData: TOKEN_DATA,
      hardwareInfo: { serialNumber: expect.any(String) as string },
    })
    expect(valueOf(await provider.getDevice(deviceName())).name).toBe(device.name)
  })

  it('end a token once, so that no phone enrolls with it, and leave its devices alone', async () => {
    const { name, value } = await createToken()
    expect((await provider.deleteEnrollmentToken(name)).ok).toBe(true)
    const again = await provider.deleteEnrollmentToken(name)
    expect(again).toMatchObject({ ok: false, fault: { kind: 'not_found', is_ambiguous: false } })
    expect(world.canEnroll(value)).toBe(false)
    expect((await provider.getDevice(deviceName())).ok).toBe(true)
  })

  it('assign a policy, also repeatedly', async () => {
    expect((await provider.assignPolicy(deviceName(), policyName())).ok).toBe(true)
    expect((await provider.assignPolicy(deviceName(), policyName())).ok).toBe(true)
  })

  it('issue commands and list them, newest first', async () => {
    const lock = valueOf(
      await provider.issueCommand(deviceName(), { type: 'LOCK', duration: '3600s' }),
    )
    const clear = valueOf(
      await provider.issueCommand(deviceName(), {
        type: 'CLEAR_APP_DATA',
        duration: '3600s',
        clearAppsDataParams: { packageNames: ['com.example.app'] },
      }),
    )
    expect(clear.name).not.toBe(lock.name)
    const found = valueOf(await provider.getOperation(lock.name ?? ''))
    expect(found).toMatchObject({ name: lock.name, metadata: { type: 'LOCK' } })
    const listed = valueOf(await provider.listOperations(deviceName()))
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining([clear.name, lock.name]))
    const times = listed.map(({ metadata }) => Date.parse(metadata?.createTime ?? ''))
    expect(times).toEqual(times.toSorted((a, b) => b - a))
  })

  it('reset a password without repeating it', async () => {
    const answer = await provider.issueCommand(deviceName(), {
      type: 'RESET_PASSWORD',
      newPassword: '830261',
    })
    expect(answer.ok).toBe(true)
    expect(JSON.stringify(answer)).not.toContain('830261')
  })

  it('pull notifications until they are acknowledged', async () => {
    const pulled: PulledMessage[] = []
    for (let i = 0; i < 20 && !pulled.some(isEnrollment); i += 1) {
      pulled.push(...valueOf(await provider.pull(100, signal)))
    }
    expect(pulled.find(isEnrollment)?.data).toMatchObject({ name: expect.any(String) as string })
    const ids = new Set(pulled.map(({ message_id }) => message_id))
    const ackIds = pulled.map(({ ack_id }) => ack_id)
    expect((await provider.modifyAckDeadline(ackIds, 30)).ok).toBe(true)
    expect((await provider.modifyAckDeadline(ackIds, 0)).ok).toBe(true)
    const redelivered = valueOf(await provider.pull(100, signal))
    // Devices may have sent more in the meantime.
    expect(redelivered.map(({ message_id }) => message_id)).toEqual(
      expect.arrayContaining([...ids]),
    )
    pulled.push(...redelivered)
    expect((await provider.acknowledge(pulled.map(({ ack_id }) => ack_id))).ok).toBe(true)
    const again = valueOf(await provider.pull(100, signal))
    expect(again.filter(({ message_id }) => ids.has(message_id))).toEqual([])
  })

  it('delete a device once', async () => {
    expect((await provider.deleteDevice(deviceName())).ok).toBe(true)
    const gone = { ok: false, fault: { kind: 'not_found', is_ambiguous: false } }
    expect(await provider.deleteDevice(deviceName())).toMatchObject(gone)
    expect(await provider.getDevice(deviceName())).toMatchObject(gone)
    expect(valueOf(await provider.listDevices(enterprise, undefined)).devices).toEqual([])
  })

  it('exchange only messages that the description of the API defines', () => {
    expect(exchanges.faults).toEqual([])
    expect(exchanges.methods).toEqual(expect.arrayContaining(METHODS))
  })
})

/** The methods that the port needs. */
const METHODS = [
  'signupUrls.create',
  'enterprises.create',
  'enterprises.policies.patch',
  'enterprises.policies.get',
  'enterprises.enrollmentTokens.create',
  'enterprises.enrollmentTokens.delete',
  'enterprises.devices.list',
  'enterprises.devices.get',
  'enterprises.devices.patch',
  'enterprises.devices.delete',
  'enterprises.devices.issueCommand',
  'enterprises.devices.operations.get',
  'enterprises.devices.operations.list',
]

const isEnrollment = ({ notification_type }: PulledMessage): boolean =>
  notification_type === 'ENROLLMENT'
