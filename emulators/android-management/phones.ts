/**
 * Phones talk to the server: they hear that they are deleted, apply what is wanted of them, carry
 * out commands and report. Nothing of it reaches the API except by that.
 */
import { refusalOf, statusOf } from './commands.ts'
import { type Core, idOf } from './core.ts'
import { ApiError } from './errors.ts'
import { expireOperations, finish, type Outcome } from './operations.ts'
import { findPolicy } from './policies.ts'
import { reportOf } from './reports.ts'
import type { Operation } from './resources.ts'
import type { DeviceRecord, EnterpriseRecord, Phone } from './state.ts'

export type Enrolled = { enterprise: EnterpriseRecord; device: DeviceRecord }

/** @returns undefined when nobody manages the phone, or its device was deleted */
export function findEnrolled(core: Core, phone: Phone): Enrolled | undefined {
  const enterprise = core.state.enterprises.get(phone.enterprise_id ?? '')
  const device = enterprise?.devices.get(phone.device_id ?? '')
  return enterprise && device && { enterprise, device }
}

/** All that a phone does by itself; it reports when there is something new. */
export function talk(core: Core, phone: Phone): void {
  if (phone.is_silent || phone.device_id === null) return
  expireOperations(core)
  if (leaveIfDeleted(core, phone)) return
  let isNew = applyWanted(core, phone)
  const pending = findEnrolled(core, phone)?.device.pending ?? []
  for (const name of pending) {
    const operation = core.state.operations.get(name)
    if (operation === undefined || operation.done) continue
    acknowledge(core, phone, operation)
    isNew = true
    if (phone.device_id === null) return
  }
  if (isNew) report(core, phone)
}

/** @returns whether the phone was told to go */
export function leaveIfDeleted(core: Core, phone: Phone): boolean {
  if (phone.device_id === null || findEnrolled(core, phone)) return false
  const enterprise = core.state.enterprises.get(phone.enterprise_id ?? '')
  const device = enterprise?.deleted.get(phone.device_id)
  if (enterprise && device) remove(core, phone, { enterprise, device })
  else forget(core, phone)
  return true
}

/** Takes over policy and state. @returns whether anything was new */
export function applyWanted(core: Core, phone: Phone): boolean {
  const enrolled = findEnrolled(core, phone)
  if (enrolled === undefined) return false
  const { enterprise, device } = enrolled
  const policy = findPolicy(enterprise, device.resource.policyName)
  const applied = phone.applied_policy
  const isOtherPolicy =
    policy !== undefined && (applied?.name !== policy.name || applied.version !== policy.version)
  if (isOtherPolicy) {
    phone.applied_policy = { name: policy.name, version: policy.version }
    device.resource = { ...device.resource, lastPolicySyncTime: core.now().toISOString() }
  }
  // Without a policy a phone is blocked and stays in provisioning.
  if (phone.applied_policy === null) return false
  const { state } = device.resource
  const wanted = state === 'PROVISIONING' ? 'ACTIVE' : state
  const isOtherState = phone.applied_state !== wanted
  phone.applied_state = wanted
  return isOtherPolicy || isOtherState
}

/** Sends a status report, whatever there is to tell. */
export function report(core: Core, phone: Phone): void {
  const enrolled = findEnrolled(core, phone)
  if (enrolled === undefined) return
  const { enterprise, device } = enrolled
  const policy = findPolicy(enterprise, phone.applied_policy?.name ?? device.resource.policyName)
  device.resource = reportOf(phone, device.resource, policy, core.now())
  core.touch()
  core.notify(enterprise, 'STATUS_REPORT', device.resource)
}

/** Carries out a command. @param failure what goes wrong instead */
export function acknowledge(
  core: Core,
  phone: Phone,
  operation: Operation,
  failure?: Outcome['error_code'],
): Operation {
  const enrolled = findEnrolled(core, phone)
  if (enrolled === undefined) {
    throw new ApiError('FAILED_PRECONDITION', 'The phone is not managed any more.')
  }
  const { metadata } = operation
  const refusal = failure ?? refusalOf(phone, metadata)
  if (refusal !== undefined) return finish(core, operation, { error_code: refusal })
  const done = finish(core, operation, { status: statusOf(phone, metadata) })
  if (metadata.type === 'WIPE' || metadata.type === 'RELINQUISH_OWNERSHIP') {
    remove(core, phone, enrolled)
  }
  if (metadata.type === 'START_LOST_MODE') setLost(phone, enrolled.device, true)
  if (metadata.type === 'STOP_LOST_MODE') setLost(phone, enrolled.device, false)
  return done
}

function setLost(phone: Phone, device: DeviceRecord, isLost: boolean): void {
  const state = isLost ? 'LOST' : 'ACTIVE'
  if (!isLost && phone.applied_state !== 'LOST') return
  phone.applied_state = state
  device.resource = { ...device.resource, state }
}

/** The management ends, with a last report. */
function remove(core: Core, phone: Phone, { enterprise, device }: Enrolled): void {
  const policy = findPolicy(enterprise, device.resource.policyName)
  const last = reportOf(phone, device.resource, policy, core.now())
  const id = idOf(device.resource.name)
  enterprise.devices.delete(id)
  enterprise.deleted.delete(id)
  forget(core, phone)
  core.notify(enterprise, 'STATUS_REPORT', { ...last, state: 'DELETED', appliedState: 'DELETED' })
}

/** The phone knows nothing of a management any more; nobody is told. */
export function forget(core: Core, phone: Phone): void {
  if (phone.device_id !== null) {
    phone.previous_device_names.push(
      `enterprises/${phone.enterprise_id}/devices/${phone.device_id}`,
    )
  }
  phone.enterprise_id = null
  phone.device_id = null
  phone.applied_policy = null
  phone.violations = []
  core.touch()
}
