import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../../../../emulators/android-management/index.ts'
import { testDatabase } from '../../../../test/database.ts'
import { auditOf, openAdministration, USER } from '../../../../test/support/mdm-administration.ts'
import { systemClock } from '../../../platform/clock.ts'
import {
  createAndroidManagement,
  type GoogleAndroidManagement,
} from '../providers/android-management.ts'
import { MANAGEMENT_MODES } from '../tables.ts'

const db = testDatabase()
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

/** Signs up like an administrator, on the page of the provider. */
async function open() {
  const org_id = randomUUID()
  const administration = openAdministration(db, { provider, now: systemClock.now() })
  const { enterprises } = administration
  const callback = 'https://console.example.com/devices?state=1'
  const { signup_url, signup_url_name } = await enterprises.startSignup(USER, org_id, callback)
  const id = new URL(signup_url).pathname.split('/').at(-1) ?? ''
  const { redirect_url } = emulator.control.completeSignup(id, { display_name: 'Example Ltd' })
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken') ?? ''
  const request = { signup_url_name, enterprise_token }
  return { org_id, request, ...administration }
}

describe('with the emulated provider', () => {
  it('an enterprise is created from a completed sign-up, and from no other token', async () => {
    const { enterprises, org_id, request } = await open()
    const wrong = { ...request, enterprise_token: 'guessed' }
    await expect(enterprises.create(USER, org_id, wrong)).rejects.toMatchObject({
      body: { content: { field: 'enterprise_token' } },
    })
    const enterprise = await enterprises.create(USER, org_id, request)
    expect(enterprise.name).toMatch(/^enterprises\/\w+$/)
    expect(enterprise.display_name).toBe('Example Ltd')
  })

  it.each(MANAGEMENT_MODES)(
    'a phone enrolls in the mode %s, with the baseline, and names its token',
    async (management_mode) => {
      const { enterprises, policies, tokens, org_id, request } = await open()
      const { name } = await enterprises.create(USER, org_id, request)
      const { id: policy_id } = await policies.create(USER, org_id, { name: 'P', management_mode })
      const token = await tokens.create(USER, org_id, { policy_id, one_time: true })
      expect(await policies.list(org_id)).toMatchObject([{ publish_state: 'published' }])
      expect(JSON.parse(token.qr_content)).toBeTypeOf('object')
      const week = Date.parse(token.expires_at) - Date.parse(token.created_at)
      expect(Math.round(week / 3_600_000)).toBe(168)
      emulator.control.enrollPhone({ token_value: token.token_value })
      const listed = await provider.listDevices(name, undefined)
      expect(listed).toMatchObject({
        ok: true,
        value: {
          devices: [
            {
              policyName: `${name}/policies/${policy_id}`,
              managementMode:
                management_mode === 'fully_managed' ? 'DEVICE_OWNER' : 'PROFILE_OWNER',
              enrollmentTokenData: JSON.stringify({ token_id: token.id }),
            },
          ],
        },
      })
      expect(JSON.stringify(await auditOf(db, org_id))).not.toContain(token.token_value)
    },
  )
})
