/** Compares devices and policies with those of the provider. */
import { isDeepStrictEqual } from 'node:util'
import type { AndroidControl } from '../../emulators/android-management/index.ts'
import { canonicalJson } from '../../src/platform/canonical-json.ts'
import { type FleetLedger, isConsistent, type Tracked } from './mdm-ledger.ts'
import type { DeviceRow, PolicyRow, Rows } from './mdm-rows.ts'

export type Truth = ReturnType<AndroidControl['truth']>
type WireDevice = Truth['devices'][number]
type Phone = Truth['phones'][number]

/** Returns all names that a phone has had as a device, the current one last. */
export const namesOf = ({ previous_device_names, device_name }: Phone): string[] => [
  ...previous_device_names,
  ...(device_name === null ? [] : [device_name]),
]

/** @returns faults, as sentences */
export function wrongDevices({ devices, policies }: Rows, truth: Truth): string[] {
  const wire = new Map(truth.devices.map((device) => [device.name, device]))
  const known = new Map(devices.map((row) => [row.provider_name, row]))
  const rules = new Map(policies.map((policy) => [policy.id, ruledSettings(policy)]))
  const versions = new Map(truth.policies.map(({ name, version }) => [name, version]))
  const expected = new Set<string>()
  const wrong = truth.phones.flatMap((phone) => {
    const names = namesOf(phone)
    const name = names.at(-1) ?? ''
    expected.add(name)
    const row = known.get(name)
    const others = names.slice(0, -1).filter((one) => known.has(one))
    if (!row) return [`${name}: it is unknown, but ${others.length} previous names are known`]
    if (others.length > 0) return [`${name}: it is known several times`]
    const device = wire.get(name)
    if (!device) return wrongEnd(row)
    const { policyName, appliedPolicyName, appliedPolicyVersion } = device
    // The last report of a phone that was reset is about a policy that it no longer has.
    const isCurrent =
      appliedPolicyName === policyName && appliedPolicyVersion === versions.get(policyName)
    const isReported = isCurrent || device.state === 'PROVISIONING'
    const ruled = rules.get(row.policy_id ?? '') ?? new Set<string>()
    return [
      ...differences(name, providerSide(device), storedSide(row)),
      ...(isReported ? wrongCompliance(row, device, ruled) : []),
    ]
  })
  const orphans = devices.filter(({ provider_name }) => !expected.has(provider_name))
  return [...wrong, ...orphans.map(({ provider_name }) => `${provider_name}: no phone has it`)]
}

const wrongEnd = (row: DeviceRow): string[] =>
  differences(
    row.provider_name,
    { state: 'deleted', compliance_state: 'unknown', details: [], policy_error: null },
    {
      state: row.state,
      compliance_state: row.compliance_state,
      details: row.non_compliance_details,
      policy_error: row.policy_error,
    },
  )

const lastStep = (name: string | undefined): string | null => name?.split('/').at(-1) ?? null

const MODES = { DEVICE_OWNER: 'fully_managed', PROFILE_OWNER: 'work_profile' } as const

/** Converts a device of the provider to the terms of `storedSide`. */
function providerSide(device: WireDevice) {
  const { nonComplianceDetails: details = [], hardwareInfo } = device
  return {
    state: device.state.toLowerCase(),
    management_mode: MODES[device.managementMode],
    ownership: device.ownership.toLowerCase(),
    policy_id: lastStep(device.policyName),
    applied_policy_id: lastStep(device.appliedPolicyName),
    applied_policy_version: Number(device.appliedPolicyVersion ?? '-1'),
    policy_compliant: device.policyCompliant === true,
    policy_error: null,
    violated: details
      .map(({ settingName, packageName = null, fieldPath = null, nonComplianceReason }) =>
        JSON.stringify([settingName, packageName, fieldPath, nonComplianceReason]),
      )
      .toSorted(),
    enrolled_at: device.enrollmentTime,
    last_report_at: device.lastStatusReportTime ?? null,
    brand: hardwareInfo['brand'],
    model: hardwareInfo['model'],
    serial_number: hardwareInfo['serialNumber'],
    api_level: device.apiLevel,
    missing_since: null,
    deletion_requested_at: null,
  }
}

function storedSide(row: DeviceRow): ReturnType<typeof providerSide> {
  return {
    state: row.state,
    management_mode: row.management_mode,
    ownership: row.ownership,
    policy_id: row.policy_id,
    applied_policy_id: row.applied_policy_id,
    applied_policy_version: row.applied_policy_version ?? -1,
    policy_compliant: row.policy_compliant === true,
    policy_error: row.policy_error as null,
    violated: row.non_compliance_details
      .map(({ setting_name, package_name, field_path, reason }) =>
        JSON.stringify([setting_name, package_name, field_path, reason]),
      )
      .toSorted(),
    enrolled_at: row.enrolled_at.toISOString(),
    last_report_at: row.last_report_at?.toISOString() ?? null,
    brand: row.brand,
    model: row.model,
    serial_number: row.serial_number,
    api_level: row.api_level ?? -1,
    missing_since: row.missing_since as null,
    deletion_requested_at: row.deletion_requested_at as null,
  }
}

/** The test is shorter than any grace period, so that settings with a rule are always within theirs. */
function wrongCompliance(
  { provider_name, compliance_state }: DeviceRow,
  device: WireDevice,
  ruled: ReadonlySet<string>,
): string[] {
  const { nonComplianceDetails: details = [] } = device
  const hasGrace = details.every(
    ({ settingName, nonComplianceReason }) =>
      ruled.has(settingName) || nonComplianceReason === 'PENDING',
  )
  const violates = hasGrace ? 'grace_period' : 'non_compliant'
  const isReported = device.lastStatusReportTime !== undefined && device.state !== 'PROVISIONING'
  const reported = device.policyCompliant === true ? 'compliant' : violates
  const expected = isReported ? reported : 'unknown'
  return differences(provider_name, { compliance: expected }, { compliance: compliance_state })
}

function ruledSettings({ policy_json }: PolicyRow): ReadonlySet<string> {
  const rules = policy_json['policyEnforcementRules'] as { settingName: string }[]
  return new Set(rules.map(({ settingName }) => settingName))
}

/** @returns faults of policies, whose names at the provider end with their ids */
export function wrongPolicies({ policies }: Rows, truth: Truth): string[] {
  const wire = new Map(truth.policies.map((policy) => [lastStep(policy.name), policy]))
  return policies.flatMap((row) => {
    const { name: _name, version = '-1', ...members } = wire.get(row.id) ?? {}
    const { published_version, provider_version, publish_error, policy_json } = row
    return differences(
      row.id,
      { policy: canonicalJson(members), version: Number(version), ours: row.version, error: null },
      {
        policy: canonicalJson(policy_json),
        version: Number(provider_version),
        ours: published_version ?? -1,
        error: publish_error as null,
      },
    )
  })
}

/** Acknowledged changes are stored, unless a later change without a response replaced them. */
export function lostChanges(rows: Rows, ledger: FleetLedger): string[] {
  const devices = new Map(rows.devices.map((row) => [row.id, row]))
  const groups = new Map(rows.groups.map((row) => [row.id, row]))
  const policies = new Map(rows.policies.map((row) => [row.id, canonicalJson(row.policy_json)]))
  return [
    ...unlike('name', ledger.names, (id) => devices.get(id)?.name ?? null),
    ...unlike('group of', ledger.members, (id) => devices.get(id)?.group_id ?? null),
    ...unlike('policy of', ledger.groups, (id) => groups.get(id)?.policy_id),
    ...unlike('text of', ledger.policies, (id) => policies.get(id) ?? ''),
    ...undeleted(rows, ledger),
  ]
}

const unlike = <T>(
  what: string,
  values: ReadonlyMap<string, Tracked<T>>,
  find: (id: string) => T,
): string[] =>
  [...values].flatMap(([id, one]) =>
    isConsistent(one, find(id))
      ? []
      : [`${what} ${id}: ${String(find(id))}, acknowledged ${String(one.acknowledged)}`],
  )

/** Deleted devices whose phones have not enrolled again must stay deleted. */
function undeleted({ devices, audit }: Rows, { deletions }: FleetLedger): string[] {
  return [...deletions].flatMap((id) => {
    const entries = audit.filter(({ device_id }) => device_id === id)
    const requested = entries.findLastIndex(({ action }) => action === 'device.deletion_requested')
    if (requested < 0) return [`${id}: the audit log does not have its deletion`]
    const isBack = entries.slice(requested).some(({ action }) => action === 'device.enrolled')
    const isGone = devices.some((row) => row.id === id && row.state === 'deleted')
    return isGone || isBack ? [] : [`${id}: it is not deleted`]
  })
}

function differences<T extends object>(subject: string, expected: T, actual: T): string[] {
  return (Object.keys(expected) as (keyof T & string)[]).flatMap((member) =>
    isDeepStrictEqual(expected[member], actual[member])
      ? []
      : [
          `${subject}: ${member} is ${JSON.stringify(actual[member])}, at the provider ${JSON.stringify(expected[member])}`,
        ],
  )
}
