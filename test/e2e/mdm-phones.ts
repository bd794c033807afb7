/** Simulated phones that enroll, violate and repair settings, switch off, reset and enroll again. */

import type { AndroidControl, PhoneView } from '../../emulators/android-management/index.ts'
import { ApiError } from '../../emulators/google-errors.ts'
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
  [25, repair],
  [10, (control, { id }) => control.report(id)],
  [15, answer],
  [3, (control, { id }) => control.changePhone(id, { is_silent: true })],
  [12, (control, { id }) => control.changePhone(id, { is_silent: false })],
  [1, (control, { id }) => control.resetPhone(id)],
]
const ENROLL_SHARE = 0.1

/** @param setup has the tokens that the phones enroll with */
export function startPhones(control: AndroidControl, setup: Setup): { stop(): Promise<void> } {
  return startClients(1, async () => {
    const phones = control.listPhones()
    const managed = phones.filter(({ device_name }) => device_name !== null)
    const phone = anyOf(managed)
    try {
      if (chance(ENROLL_SHARE)) enrollAny(control, setup, phones)
      else if (phone) weighed(ACTS)(control, phone)
    } catch (error) {
      // The emulator refuses actions of a phone that is switched off.
      if (!(error instanceof ApiError)) throw error
    }
    await pause(ACT_MS)
    return true
  })
}

export function enrollMany(control: AndroidControl, setup: Setup, count: number): void {
  for (let enrolled = 0; enrolled < count; enrolled += 1) enrollNew(control, setup)
}

/** Switches all phones on, and makes them react automatically. */
export function calm(control: AndroidControl): void {
  for (const { id } of control.listPhones()) {
    control.changePhone(id, { is_silent: false, is_automatic: true, reaction_ms: 20 })
  }
}

/** @returns phones that have pending commands or not yet applied their policy */
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

function enrollAny(control: AndroidControl, setup: Setup, phones: readonly PhoneView[]): void {
  const free = anyOf(phones.filter(({ device_name }) => device_name === null))
  if (free) enrollAgain(control, setup, free)
  else if (phones.length < PHONES_MAX) enrollNew(control, setup)
}

function enrollNew(control: AndroidControl, setup: Setup): void {
  const token = anyOf(setup.tokens)
  const isOfCompany = token?.management_mode === 'fully_managed' || chance(0.5)
  control.enrollPhone({
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

/** Enrolls as another device at the provider, which is the same device in Vigil. */
function enrollAgain(control: AndroidControl, setup: Setup, phone: PhoneView): void {
  const { serial_number, brand, model, ownership } = phone
  const mode = MODES[phone.management_mode]
  const token = anyOf(setup.tokens.filter(({ management_mode }) => management_mode === mode))
  const token_value = token?.token_value ?? ''
  control.enrollPhone({ token_value, serial_number, brand, model, ownership })
}

function repair(control: AndroidControl, { id, violations }: PhoneView): void {
  const detail = anyOf(violations)
  if (!detail || chance(0.3)) control.repair(id)
  else control.repair(id, { setting_name: detail.settingName })
}

/** Responds for a phone that does not react automatically. */
function answer(control: AndroidControl, { id, is_automatic, pending_commands }: PhoneView): void {
  const [command] = pending_commands
  if (is_automatic) return
  if (!command) control.applyPolicy(id)
  else if (chance(0.7)) control.acknowledgeCommand(id, command.id)
  else control.failCommand(id, command.id, { error_code: anyOf(FAILURES) ?? 'UNKNOWN' })
}

const FAILURES = ['UNKNOWN', 'INVALID_VALUE', 'UNSUPPORTED'] as const
