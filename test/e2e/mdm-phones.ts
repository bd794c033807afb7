/** People with their phones: they enrol, break settings and mend them, switch off, reset, come back. */
import { ApiError } from '../../emulators/android-management/errors.ts'
import type { AndroidControl, PhoneView } from '../../emulators/android-management/index.ts'
import { anyOf, chance, weighed } from './chance.ts'
import { startClients } from './load.ts'
import type { Mode, Setup } from './mdm-client.ts'
import { pause } from './program.ts'

const PHONES_MAX = 60
const ACT_MS = 25
const REACTION_MAX_MS = 300

const VIOLATIONS = [
  { setting_name: 'passwordPolicies' },
  { setting_name: 'cameraAccess' },
  { setting_name: 'encryptionPolicy' },
  { setting_name: 'keyguardDisabledFeatures', reason: 'PENDING' },
  { setting_name: 'applications', package_name: 'com.example.till', reason: 'APP_NOT_INSTALLED' },
  { setting_name: 'applications', package_name: 'com.example.shop', reason: 'APP_NOT_INSTALLED' },
] as const

type Act = (control: AndroidControl, phone: PhoneView) => void

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [30, (control, { id }) => control.violate(id, anyOf(VIOLATIONS) ?? VIOLATIONS[0])],
  [25, mend],
  [10, (control, { id }) => control.report(id)],
  [15, answer],
  [3, (control, { id }) => control.changePhone(id, { is_silent: true })],
  [12, (control, { id }) => control.changePhone(id, { is_silent: false })],
  [1, (control, { id }) => control.resetPhone(id)],
]
const ENROL_SHARE = 0.1

/** @param setup whose tokens they enrol with */
export function startPhones(control: AndroidControl, setup: Setup): { stop(): Promise<void> } {
  return startClients(1, async () => {
    const phones = control.listPhones()
    const managed = phones.filter(({ device_name }) => device_name !== null)
    const phone = anyOf(managed)
    try {
      if (chance(ENROL_SHARE)) enrolAny(control, setup, phones)
      else if (phone) weighed(ACTS)(control, phone)
    } catch (error) {
      // Nobody can do anything with a phone that is switched off.
      if (!(error instanceof ApiError)) throw error
    }
    await pause(ACT_MS)
    return true
  })
}

export function enrolMany(control: AndroidControl, setup: Setup, count: number): void {
  for (let made = 0; made < count; made += 1) enrolNew(control, setup)
}

/** Everybody switches on and lets the phone do what it is told. */
export function calm(control: AndroidControl): void {
  for (const { id } of control.listPhones()) {
    control.changePhone(id, { is_silent: false, is_automatic: true, reaction_ms: 20 })
  }
}

/** @returns those that have not done yet what they were told */
export function busyPhones(control: AndroidControl): string[] {
  const { policies, phones, devices } = control.truth()
  const versions = new Map(policies.map(({ name, version }) => [name, version]))
  const wanted = new Map(devices.map(({ name, policyName }) => [name, policyName]))
  return phones.flatMap(({ device_name, pending_commands, applied_policy }) => {
    if (device_name === null) return []
    const policy = wanted.get(device_name)
    const isCurrent =
      policy !== undefined &&
      applied_policy?.name === policy &&
      applied_policy.version === versions.get(policy)
    return isCurrent && pending_commands.length === 0 ? [] : [`${device_name} with ${policy}`]
  })
}

function enrolAny(control: AndroidControl, setup: Setup, phones: readonly PhoneView[]): void {
  const free = anyOf(phones.filter(({ device_name }) => device_name === null))
  if (free) comeBack(control, setup, free)
  else if (phones.length < PHONES_MAX) enrolNew(control, setup)
}

function enrolNew(control: AndroidControl, setup: Setup): void {
  const token = anyOf(setup.tokens)
  const isOfCompany = token?.management_mode === 'fully_managed' || chance(0.5)
  control.enrolPhone({
    token_value: token?.token_value ?? '',
    model: anyOf(['Pixel 9', 'TC58', 'SM-A556B']) ?? 'Pixel 9',
    android_version: anyOf(['9', '13', '15']) ?? '15',
    ownership: isOfCompany ? 'COMPANY_OWNED' : 'PERSONALLY_OWNED',
    is_automatic: chance(0.8),
    reaction_ms: Math.floor(Math.random() * REACTION_MAX_MS),
  })
}

const MODES: Readonly<Record<PhoneView['management_mode'], Mode>> = {
  DEVICE_OWNER: 'fully_managed',
  PROFILE_OWNER: 'work_profile',
}

/** As another device of the provider, and the same one here. */
function comeBack(control: AndroidControl, setup: Setup, phone: PhoneView): void {
  const { serial_number, brand, model, ownership } = phone
  const mode = MODES[phone.management_mode]
  const token = anyOf(setup.tokens.filter(({ management_mode }) => management_mode === mode))
  const token_value = token?.token_value ?? ''
  control.enrolPhone({ token_value, serial_number, brand, model, ownership })
}

function mend(control: AndroidControl, { id, violations }: PhoneView): void {
  const detail = anyOf(violations)
  if (!detail || chance(0.3)) control.repair(id)
  else control.repair(id, { setting_name: detail.settingName })
}

/** Of a phone that does nothing by itself. */
function answer(control: AndroidControl, { id, is_automatic, pending_commands }: PhoneView): void {
  const [command] = pending_commands
  if (is_automatic) return
  if (!command) control.applyPolicy(id)
  else if (chance(0.7)) control.acknowledgeCommand(id, command.id)
  else control.failCommand(id, command.id, { error_code: anyOf(FAILURES) ?? 'UNKNOWN' })
}

const FAILURES = ['UNKNOWN', 'INVALID_VALUE', 'UNSUPPORTED'] as const
