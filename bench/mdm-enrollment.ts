/** An organization of the device management benchmark whose enrollment token any number of devices can use. */

import { randomUUID } from 'node:crypto'
import type { Stores } from '../src/app/stores.ts'
import type { AndroidManagement, Answer } from '../src/modules/mdm/providers/port.ts'
import { DAY_MS } from '../src/platform/time-units.ts'
import type { MdmEmulatorJob, MdmEmulatorResult } from './mdm-emulator.ts'
import type { Worker } from './worker.ts'

type Enrollment = { org_id: string; token_value: string }

const POLICY = { cameraDisabled: true }

export async function prepareEnrollment(
  { db, clock }: Stores,
  provider: AndroidManagement,
  emulator: Worker<MdmEmulatorJob, MdmEmulatorResult>,
): Promise<Enrollment> {
  const signup = valueOf(await provider.createSignupUrl('https://console.example/'))
  const { enterprise_token } = await emulator.run({ step: 'sign_up', name: signup.name })
  const signed = { signup_url_name: signup.name, enterprise_token }
  const { name } = valueOf(await provider.createEnterprise(signed))
  const [org_id, policy_id, token_id] = [randomUUID(), randomUUID(), randomUUID()]
  const policyName = `${name}/policies/${policy_id}`
  const { version } = valueOf(await provider.patchPolicy(policyName, POLICY))
  const token = valueOf(
    await provider.createEnrollmentToken(name, {
      policyName,
      duration: `${DAY_MS / 1000}s`,
      oneTimeOnly: false,
      allowPersonalUsage: 'PERSONAL_USAGE_DISALLOWED',
      additionalData: JSON.stringify({ token_id }),
    }),
  )
  const project_id = valueOf(await provider.projectId())
  const created_at = clock.now()
  const tomorrow = new Date(created_at.getTime() + DAY_MS)
  const enterprise = { org_id, name, project_id, display_name: 'Bench', created_at }
  await db
    .insertInto('mdm_enterprises')
    .values({ ...enterprise, listing_due_at: tomorrow })
    .execute()
  const owned = { org_id, management_mode: 'fully_managed' as const, created_at }
  const published = { version: 1, published_version: 1, provider_version: version }
  const policy = { id: policy_id, name: 'Tills', description: '', policy_json: POLICY }
  await db
    .insertInto('mdm_policies')
    .values({ ...owned, ...policy, ...published, publish_error: null, updated_at: created_at })
    .execute()
  await db
    .insertInto('mdm_enrollment_tokens')
    .values({
      ...owned,
      id: token_id,
      policy_id,
      provider_name: token.name,
      duration_hours: 24,
      one_time: false,
      token_value: 'sealed',
      qr_content: 'sealed',
      expires_at: tomorrow,
      created_by: null,
    })
    .execute()
  return { org_id, token_value: token.value }
}

function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value
  throw new Error(`the emulator refused: ${answer.fault.message}`)
}
