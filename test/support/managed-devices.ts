/** Organizations with an enterprise, and reports of their devices. */

import { randomUUID } from 'node:crypto'
import { PROJECT } from '../../emulators/android-management/state.ts'
import type { WireDevice } from '../../src/modules/mdm/providers/port.ts'
import type { ManagementMode } from '../../src/modules/mdm/tables.ts'
import type { Db } from '../../src/platform/postgres/db.ts'

export type Managed = {
  org_id: string
  enterprise: string
  policy_id: string
  token_id: string
  deviceName(device: string): string
  policyName(policyId: string): string
  /** A report of a device that enrolled with the token, and complies. */
  report(device: string, members?: WireDevice): WireDevice
}

const START = Date.parse('2026-03-01T12:00:00Z')
/** Time of the provider, in seconds after the start of the test. */
export const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString()

/** @param enterprise name at the provider, by default a random one */
export async function createManaged(
  db: Db,
  enterprise: string = `enterprises/LC${randomUUID().slice(0, 8)}`,
): Promise<Managed> {
  const org_id = randomUUID()
  const policy_id = await insertPolicy(db, org_id)
  const token_id = await insertToken(db, org_id, { enterprise, policy_id })
  await db
    .insertInto('mdm_enterprises')
    .values({
      org_id,
      name: enterprise,
      // An enterprise of another project would disable the emulator for tests that share the database.
      project_id: PROJECT,
      display_name: 'Test shop',
      created_at: new Date(),
      listing_due_at: new Date(0),
    })
    .execute()
  const deviceName = (device: string) => `${enterprise}/devices/${device}`
  const policyName = (policyId: string) => `${enterprise}/policies/${policyId}`
  return {
    org_id,
    enterprise,
    policy_id,
    token_id,
    deviceName,
    policyName,
    report: (device, members = {}) => ({
      name: deviceName(device),
      state: 'ACTIVE',
      appliedState: 'ACTIVE',
      managementMode: 'DEVICE_OWNER',
      ownership: 'COMPANY_OWNED',
      policyName: policyName(policy_id),
      appliedPolicyName: policyName(policy_id),
      appliedPolicyVersion: '1',
      policyCompliant: true,
      enrollmentTime: at(0),
      lastStatusReportTime: at(10),
      enrollmentTokenData: JSON.stringify({ token_id }),
      hardwareInfo: { brand: 'google', model: 'Pixel 9', serialNumber: `S-${device}` },
      softwareInfo: { androidVersion: '16' },
      ...members,
    }),
  }
}

export async function insertPolicy(
  db: Db,
  org_id: string,
  values: { management_mode?: ManagementMode; policy_json?: Record<string, unknown> } = {},
): Promise<string> {
  const id = randomUUID()
  const { management_mode = 'fully_managed', policy_json = {} } = values
  const now = new Date()
  await db
    .insertInto('mdm_policies')
    .values({
      org_id,
      id,
      name: 'Policy',
      description: '',
      management_mode,
      policy_json,
      version: 1,
      published_version: 1,
      provider_version: 1,
      publish_error: null,
      created_at: now,
      updated_at: now,
    })
    .execute()
  return id
}

export async function insertToken(
  db: Db,
  org_id: string,
  { enterprise, policy_id }: { enterprise: string; policy_id: string },
): Promise<string> {
  const id = randomUUID()
  await db
    .insertInto('mdm_enrollment_tokens')
    .values({
      org_id,
      id,
      policy_id,
      management_mode: 'fully_managed',
      provider_name: `${enterprise}/enrollmentTokens/${id}`,
      duration_hours: 1,
      one_time: false,
      token_value: 'sealed',
      qr_content: 'sealed',
      expires_at: new Date(),
      created_by: null,
      created_at: new Date(),
    })
    .execute()
  return id
}

export async function insertGroup(
  db: Db,
  org_id: string,
  policy_id: string | null,
): Promise<string> {
  const id = randomUUID()
  const now = new Date()
  await db
    .insertInto('mdm_groups')
    .values({ org_id, id, name: 'Group', policy_id, created_at: now, updated_at: now })
    .execute()
  return id
}
