/** Request bodies and ids of existing records with which the operations of device management succeed. */
import type { AndroidEmulator } from '../../emulators/android-management/index.ts'
import type { Harness } from '../harness.ts'
import { addCommand, addDevice } from './mdm.ts'
import { CALLBACK, completeSignup } from './mdm-fleet.ts'

export type Installation = { harness: Harness; emulator: AndroidEmulator }
export type Subject = { org_id: string; token: string }

/** @returns undefined when the operation succeeds with the example of the OpenAPI document */
export async function bodyThatSucceeds(
  installation: Installation,
  name: string,
  subject: Subject,
): Promise<object | undefined> {
  switch (name) {
    case 'POST /mdm/enterprise':
      return await signUp(installation, subject)
    case 'POST /mdm/enrollment-tokens':
      await createEnterprise(installation, subject)
      return { policy_id: await createPolicy(installation, subject) }
    case 'POST /mdm/groups':
      return { name: 'Bern', policy_id: await createPolicy(installation, subject) }
    default:
      return undefined
  }
}

/**
 * Adds an enterprise and records for all operations together.
 *
 * @returns path parameters by operation, and bodies by the names of their schemas
 */
export async function addMdmRecords(installation: Installation, subject: Subject) {
  const { db } = installation.harness.stores
  const { org_id } = subject
  await createEnterprise(installation, subject)
  const policy_id = await createPolicy(installation, subject)
  const group_id = await createGroup(installation, subject)
  const device = await addDevice(db, { org_id, group_id })
  const other = await addDevice(db, { org_id })
  await addCommand(db, { org_id, device_id: device.id })
  const ids = {
    'PATCH /mdm/policies/{policy_id}': policy_id,
    'PATCH /mdm/groups/{group_id}': group_id,
    'DELETE /mdm/groups/{group_id}': await createGroup(installation, subject),
    'POST /mdm/groups/{group_id}/devices': group_id,
    'POST /mdm/groups/{group_id}/commands': group_id,
    'GET /mdm/devices/{device_id}': device.id,
    'PATCH /mdm/devices/{device_id}': device.id,
    'POST /mdm/devices/{device_id}/commands': device.id,
    'DELETE /mdm/devices/{device_id}': (await addDevice(db, { org_id })).id,
  }
  const token = await post<{ id: string }>(installation, subject, '/enrollment-tokens', {
    policy_id,
  })
  const bodies = {
    EnrollmentTokenRequest: { policy_id },
    DeviceGroupRequest: { name: 'Bern', policy_id },
    DeviceGroupAssignment: { device_ids: [other.id] },
  }
  return { ids, bodies, token_id: token.id }
}

/** @returns a body of `POST /mdm/enterprise` */
export async function signUp(installation: Installation, subject: Subject) {
  const body = { callback_url: CALLBACK }
  const signup = await post<{ signup_url: string; signup_url_name: string }>(
    installation,
    subject,
    '/enterprise/signup-url',
    body,
  )
  return completeSignup(installation, signup)
}

async function createEnterprise(installation: Installation, subject: Subject): Promise<void> {
  await post(installation, subject, '/enterprise', await signUp(installation, subject))
}

async function createPolicy(installation: Installation, subject: Subject): Promise<string> {
  const body = { name: 'Tills', management_mode: 'fully_managed' }
  return (await post<{ id: string }>(installation, subject, '/policies', body)).id
}

const createGroup = async (installation: Installation, subject: Subject): Promise<string> =>
  (await post<{ id: string }>(installation, subject, '/groups', { name: 'Bern' })).id

async function post<C>(
  { harness }: Installation,
  { org_id, token }: Subject,
  path: string,
  body: object,
): Promise<C> {
  const url = `/v1/mdm${path}?org_id=${org_id}`
  const answer = await harness.call<C>({ method: 'POST', path: url, token, body })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.body.message}`)
  return answer.body.content
}
