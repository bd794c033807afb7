/**
 * The managed phones, lived through the month: the emulator has the clock of the story, so reports,
 * enrolments and the audit log are of their time. Commands are the exception: the database says when
 * one has expired, so those that are to succeed are given at the end.
 */
import { sql } from 'kysely'
import type { PhoneView } from '../../emulators/android-management/index.ts'
import {
  GROUPS,
  PHONES,
  type PhonePolicy,
  POLICIES,
  POLICY_CHANGES,
  type StoryPhone,
} from '../story/phones.ts'
import { createAsk } from './ask.ts'
import type { Filling } from './context.ts'
import { giveCommands } from './mdm-commands.ts'
import { type Fleet, remove, until, withFate } from './mdm-fleet.ts'

const HOUR_MS = 3_600_000
const CALLBACK_URL = 'https://northwind.example/console'

/** Of the month. */
const WIPED_AT = 0.76
const UNENCRYPTED_AT = 0.82
const APP_MISSING_AT = 0.93
/** Before the end. */
const UNLOCKED_HOURS = 7

/** @returns how many devices there are */
export async function managePhones(filling: Filling): Promise<number> {
  const { clock, story, services } = filling
  const { start, end } = story.span
  const at = (share: number) => start + share * (end - start)
  clock.standAt(at(0.09))
  const fleet = await foundEnterprise(filling)
  const never = new AbortController().signal
  const steps: { at: number; run: () => Promise<unknown> }[] = [
    ...[...new Set(PHONES.map(({ joins_at }) => joins_at))].map((share) => ({
      at: at(share),
      run: () => enrolAll(filling, fleet, share),
    })),
    ...POLICY_CHANGES.map((change) => ({
      at: at(change.at_share),
      run: () => changePolicy(filling, fleet, change),
    })),
    { at: at(WIPED_AT), run: () => remove(fleet, 'lost') },
    { at: at(UNENCRYPTED_AT), run: () => violate(filling, fleet, 'unencrypted') },
    { at: at(APP_MISSING_AT), run: () => violate(filling, fleet, 'app') },
    { at: end - UNLOCKED_HOURS * HOUR_MS, run: () => violate(filling, fleet, 'unlocked') },
    {
      at: end - HOUR_MS,
      run: () => services.device_management.flipCompliance(new Date(end - HOUR_MS), never),
    },
  ]
  for (const step of steps.toSorted((a, b) => a.at - b.at)) {
    clock.standAt(step.at)
    await step.run()
    await settled(filling)
  }
  await giveCommands(filling, fleet)
  await settled(filling)
  return fleet.phones.size
}

async function foundEnterprise(filling: Filling): Promise<Fleet> {
  const { outside, services } = filling
  const ask = createAsk(filling)
  const signup = await ask<{ signup_url_name: string }>('POST', '/v1/mdm/enterprise/signup-url', {
    callback_url: CALLBACK_URL,
  })
  const { redirect_url } = outside.android.control.completeSignup(signup.signup_url_name, {
    display_name: 'Northwind Supermarkets',
  })
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken')
  await ask('POST', '/v1/mdm/enterprise', { ...signup, enterprise_token })
  // Only now: without an enterprise, notifications are looked for every few seconds.
  for (const each of services.device_management.running) each.start()
  const fleet: Fleet = {
    ask,
    policies: new Map(),
    tokens: new Map(),
    groups: new Map(),
    phones: new Map(),
  }
  for (const [key, policy] of Object.entries(POLICIES)) {
    const made = await ask<{ id: string; policy_json: Record<string, unknown> }>(
      'POST',
      '/v1/mdm/policies',
      policy,
    )
    fleet.policies.set(key as PhonePolicy, made)
  }
  for (const name of GROUPS) {
    const { id } = await ask<{ id: string }>('POST', '/v1/mdm/groups', { name })
    fleet.groups.set(name, id)
  }
  await settled(filling)
  return fleet
}

/** One token for those who come together; it ends a day later, and the last ones are still good. */
async function enrolAll(filling: Filling, fleet: Fleet, share: number): Promise<void> {
  const { ask } = fleet
  const coming = PHONES.filter(({ joins_at }) => joins_at === share)
  for (const policy of new Set(coming.map((phone) => phone.policy))) {
    const policy_id = fleet.policies.get(policy)?.id
    const token = await ask<{ token_value: string }>('POST', '/v1/mdm/enrollment-tokens', {
      policy_id,
      duration_hours: TOKEN_HOURS,
    })
    for (const phone of coming) {
      if (phone.policy === policy) await enrol(filling, fleet, phone, token.token_value)
    }
  }
}

const TOKEN_HOURS = 48

async function enrol(
  filling: Filling,
  fleet: Fleet,
  story: StoryPhone,
  token_value: string,
): Promise<void> {
  const { outside, stores, people } = filling
  const view: PhoneView = outside.android.control.enrolPhone({
    token_value,
    brand: story.brand,
    model: story.model,
    serial_number: story.serial,
    android_version: story.android,
    security_patch_level: story.patch,
    reaction_ms: 0,
    ...(story.policy === 'managers' && { ownership: 'PERSONALLY_OWNED' as const }),
    ...(story.fate === 'waiting' && { is_automatic: false }),
  })
  const find = async () => {
    const { rows } = await sql<{ id: string }>`
      select id from mdm_devices where org_id = ${people.org_id} and provider_name = ${view.device_name}`.execute(
      stores.db,
    )
    return rows[0]?.id
  }
  const device_id = await until(find)
  fleet.phones.set(story.serial, { story, device_id, phone_id: view.id })
  await fleet.ask('PATCH', `/v1/mdm/devices/${device_id}`, {
    name: story.name,
    ...(story.user !== undefined && { assigned_user_id: story.user }),
    custom_attributes: {
      asset: `NW-${story.serial.slice(-4)}`,
      ...(story.group !== undefined && { shop: story.group }),
    },
  })
  const group_id = fleet.groups.get(story.group ?? '')
  if (group_id !== undefined)
    await fleet.ask('POST', `/v1/mdm/groups/${group_id}/devices`, { device_ids: [device_id] })
}

async function changePolicy(
  filling: Filling,
  fleet: Fleet,
  change: (typeof POLICY_CHANGES)[number],
): Promise<void> {
  const policy = fleet.policies.get(change.policy)
  if (!policy) return
  // Whoever is out of reach when it changes goes on with what was.
  for (const { phone_id } of withFate(fleet, 'silent')) {
    filling.outside.android.control.changePhone(phone_id, { is_silent: true })
  }
  policy.policy_json = { ...policy.policy_json, ...change.change }
  await fleet.ask('PATCH', `/v1/mdm/policies/${policy.id}`, { policy_json: policy.policy_json })
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

function violate({ outside }: Filling, fleet: Fleet, fate: keyof typeof VIOLATIONS): Promise<void> {
  for (const { phone_id } of withFate(fleet, fate))
    outside.android.control.violate(phone_id, VIOLATIONS[fate])
  return Promise.resolve()
}

/** Everything has reached the provider, and everything that phones said has been applied. */
async function settled({ stores, people, outside }: Filling): Promise<void> {
  await until(async () => {
    const { rows } = await sql<{ dispatches: number }>`
      select count(*) as dispatches from mdm_dispatches
      where org_id = ${people.org_id} and due_at < now() + interval '1 hour'`.execute(stores.db)
    if (rows[0]?.dispatches !== 0) return undefined
    return (await isCurrent({ stores, people, outside })) ? true : undefined
  })
}

/** Whether the last report of each phone is the one that is stored. */
async function isCurrent({
  stores,
  people,
  outside,
}: Pick<Filling, 'stores' | 'people' | 'outside'>): Promise<boolean> {
  const { rows } = await sql<{ provider_name: string; last_report_at: Date | null }>`
    select provider_name, last_report_at from mdm_devices
    where org_id = ${people.org_id} and state <> 'deleted'`.execute(stores.db)
  const stored = new Map(
    rows.map(({ provider_name, last_report_at }) => [provider_name, last_report_at]),
  )
  return outside.android.control.listPhones().every(({ device_name, device, is_silent }) => {
    if (device_name === null || device === null || is_silent) return true
    const told = device.lastStatusReportTime
    return told === undefined || stored.get(device_name)?.toISOString() === told
  })
}
