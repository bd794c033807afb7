/**
 * The managed devices through the month. The emulator follows the clock of the story, so reports,
 * enrollments and the audit log have their times. Commands are the exception: the database decides when
 * a command has expired, so those that are to succeed are issued at the end.
 */
import { sql } from 'kysely'
import { HOUR_MS } from '../../world/time.ts'
import {
  GROUPS,
  PHONES,
  type PhonePolicy,
  POLICIES,
  POLICY_CHANGES,
  type StoryPhone,
} from '../story/phones.ts'
import { createApi } from './api.ts'
import type { FillContext } from './context.ts'
import { issueCommands } from './mdm-commands.ts'
import { deleteDevices, type Fleet, withFate } from './mdm-fleet.ts'
import { waitFor } from './wait.ts'

const CALLBACK_URL = 'https://northwind.example/console'
/** The tokens of the last devices are still valid at the end. */
const TOKEN_HOURS = 48

/** Shares of the month, except for the last one, which is hours before the end. */
const FOUNDED_AT = 0.09
const WIPED_AT = 0.76
const UNENCRYPTED_AT = 0.82
const APP_MISSING_AT = 0.93
const UNLOCKED_HOURS = 7

/** Returns the number of devices. */
export async function manageDevices(context: FillContext): Promise<number> {
  const { clock, story, services } = context
  const { start, end } = story.span
  const at = (share: number) => start + share * (end - start)
  clock.freezeAt(at(FOUNDED_AT))
  const fleet = await createEnterprise(context)
  const never = new AbortController().signal
  const joins = [...new Set(PHONES.map(({ joins_at }) => joins_at))]
  const steps: { at: number; run: () => unknown }[] = [
    ...joins.map((share) => ({ at: at(share), run: () => enrollAll(context, fleet, share) })),
    ...POLICY_CHANGES.map((change) => ({
      at: at(change.at_share),
      run: () => changePolicy(context, fleet, change),
    })),
    { at: at(WIPED_AT), run: () => deleteDevices(fleet, 'lost') },
    { at: at(UNENCRYPTED_AT), run: () => violate(context, fleet, 'unencrypted') },
    { at: at(APP_MISSING_AT), run: () => violate(context, fleet, 'app') },
    { at: end - UNLOCKED_HOURS * HOUR_MS, run: () => violate(context, fleet, 'unlocked') },
    {
      at: end - HOUR_MS,
      run: () => services.device_management.flipCompliance(new Date(end - HOUR_MS), never),
    },
  ]
  for (const step of steps.toSorted((a, b) => a.at - b.at)) {
    clock.freezeAt(step.at)
    await step.run()
    await settled(context)
  }
  await issueCommands(context, fleet)
  await settled(context)
  return fleet.phones.size
}

async function createEnterprise(context: FillContext): Promise<Fleet> {
  const { emulators, services } = context
  const api = createApi(context)
  const signup = await api<{ signup_url_name: string }>('POST', '/v1/mdm/enterprise/signup-url', {
    callback_url: CALLBACK_URL,
  })
  const { redirect_url } = emulators.android.control.completeSignup(signup.signup_url_name, {
    display_name: 'Northwind Supermarkets',
  })
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken')
  await api('POST', '/v1/mdm/enterprise', { ...signup, enterprise_token })
  // Not started before, because without an enterprise notifications are polled every few seconds only.
  for (const each of services.device_management.running) each.start()
  const fleet: Fleet = { api, policies: new Map(), groups: new Map(), phones: new Map() }
  for (const [key, policy] of Object.entries(POLICIES)) {
    type Created = { id: string; policy_json: Record<string, unknown> }
    const created = await api<Created>('POST', '/v1/mdm/policies', policy)
    fleet.policies.set(key as PhonePolicy, created)
  }
  for (const name of GROUPS) {
    const { id } = await api<{ id: string }>('POST', '/v1/mdm/groups', { name })
    fleet.groups.set(name, id)
  }
  await settled(context)
  return fleet
}

/** Devices that join at the same time share one enrollment token for each policy. */
async function enrollAll(context: FillContext, fleet: Fleet, share: number): Promise<void> {
  const joining = PHONES.filter(({ joins_at }) => joins_at === share)
  for (const policy of new Set(joining.map((phone) => phone.policy))) {
    const { token_value } = await fleet.api<{ token_value: string }>(
      'POST',
      '/v1/mdm/enrollment-tokens',
      { policy_id: fleet.policies.get(policy)?.id, duration_hours: TOKEN_HOURS },
    )
    for (const phone of joining) {
      if (phone.policy === policy) await enroll(context, fleet, { phone, token_value })
    }
  }
}

async function enroll(
  { emulators, stores, people }: FillContext,
  fleet: Fleet,
  { phone, token_value }: { phone: StoryPhone; token_value: string },
): Promise<void> {
  const { id: phone_id, device_name } = emulators.android.control.enrollPhone({
    token_value,
    brand: phone.brand,
    model: phone.model,
    serial_number: phone.serial,
    android_version: phone.android,
    security_patch_level: phone.patch,
    reaction_ms: 0,
    ...(phone.policy === 'managers' && { ownership: 'PERSONALLY_OWNED' as const }),
    ...(phone.fate === 'waiting' && { is_automatic: false }),
  })
  const device_id = await waitFor('the enrollment of a device', async () => {
    const { rows } = await sql<{ id: string }>`select id from mdm_devices
      where org_id = ${people.org_id} and provider_name = ${device_name}`.execute(stores.db)
    return rows[0]?.id
  })
  fleet.phones.set(phone.serial, { story: phone, device_id, phone_id })
  await fleet.api('PATCH', `/v1/mdm/devices/${device_id}`, {
    name: phone.name,
    ...(phone.user !== undefined && { assigned_user_id: phone.user }),
    custom_attributes: {
      asset: `NW-${phone.serial.slice(-4)}`,
      ...(phone.group !== undefined && { shop: phone.group }),
    },
  })
  const group_id = fleet.groups.get(phone.group ?? '')
  if (group_id !== undefined) {
    await fleet.api('POST', `/v1/mdm/groups/${group_id}/devices`, { device_ids: [device_id] })
  }
}

async function changePolicy(
  { emulators }: FillContext,
  fleet: Fleet,
  { policy: key, change }: (typeof POLICY_CHANGES)[number],
): Promise<void> {
  const policy = fleet.policies.get(key)
  if (!policy) return
  // Devices that are offline during the change continue with the version before.
  for (const { phone_id } of withFate(fleet, 'silent')) {
    emulators.android.control.changePhone(phone_id, { is_silent: true })
  }
  const policy_json = { ...policy.policy_json, ...change }
  fleet.policies.set(key, { ...policy, policy_json })
  await fleet.api('PATCH', `/v1/mdm/policies/${policy.id}`, { policy_json })
}

const VIOLATIONS = {
  unencrypted: { setting_name: 'encryptionPolicy', reason: 'USER_ACTION' },
  app: {
    setting_name: 'applications',
    reason: 'APP_NOT_INSTALLED',
    package_name: 'example.northwind.stock',
  },
  unlocked: { setting_name: 'passwordPolicies', reason: 'USER_ACTION' },
} as const

function violate({ emulators }: FillContext, fleet: Fleet, fate: keyof typeof VIOLATIONS): void {
  for (const { phone_id } of withFate(fleet, fate)) {
    emulators.android.control.violate(phone_id, VIOLATIONS[fate])
  }
}

/** Resolves when the provider has received every request, and every report of the devices is applied. */
async function settled({ stores, people, emulators }: FillContext): Promise<void> {
  await waitFor('the managed devices', async () => {
    const { rows: due } = await sql`select from mdm_dispatches
      where org_id = ${people.org_id} and due_at < now() + interval '1 hour'`.execute(stores.db)
    if (due.length > 0) return false
    const { rows } = await sql<{ provider_name: string; last_report_at: Date | null }>`
      select provider_name, last_report_at from mdm_devices
      where org_id = ${people.org_id} and state <> 'deleted'`.execute(stores.db)
    const applied = new Map(rows.map((row) => [row.provider_name, row.last_report_at]))
    return emulators.android.control.listPhones().every(({ device_name, device, is_silent }) => {
      if (device_name === null || device === null || is_silent) return true
      const reported = device.lastStatusReportTime
      return reported === undefined || applied.get(device_name)?.toISOString() === reported
    })
  })
}
