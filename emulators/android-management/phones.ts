/**
 * The behavior of phones: at a check-in they notice that they were deleted, apply the requested policy
 * and state, execute commands and report. The API learns of a phone only through its reports.
 */

import { ApiError } from '../google-errors.ts'
import { refusalOf, statusOf } from './commands.ts'
import { type Core, idOf } from './core.ts'
import { expireOperations, finish, type Outcome } from './operations.ts'
import { findPolicy } from './policies.ts'
import { reportOf } from './reports.ts'
import type { Operation } from './resources.ts'
import type { DeviceRecord, EnterpriseRecord, Phone } from './state.ts'

export type Enrolled = { enterprise: EnterpriseRecord; device: DeviceRecord }

/** @returns undefined when the phone is not managed or its device was deleted */
export function findEnrolled(core: Core, phone: Phone): Enrolled | undefined {
  const enterprise = core.state.enterprises.get(phone.enterprise_id ?? '')
  const device = enterprise?.devices.get(phone.device_id ?? '')
  return enterprise && device && { enterprise, device }
}

/** Runs the check-in of an automatic phone, which reports only if something has changed. */
export function checkIn(core: Core, phone: Phone): void {
  if (phone.is_silent || phone.device_id === null) return
  expireOperations(core)
  if (detachIfDeleted(core, phone)) return
  let hasChanged = applyPolicyAndState(core, phone)
  const pending = findEnrolled(core, phone)?.device.pending ?? []
  for (const name of pending) {
    const operation = core.state.operations.get(name)
    if (operation === undefined || operation.done) continue
    executeCommand(core, phone, operation)
    hasChanged = true
    if (phone.device_id === null) return
  }
  if (hasChanged) report(core, phone)
}

/** Detaches a phone whose device was deleted. @returns whether it was detached */
export function detachIfDeleted(core: Core, phone: Phone): boolean {
  if (phone.device_id === null || findEnrolled(core, phone)) return false
  const enterprise = core.state.enterprises.get(phone.enterprise_id ?? '')
  const device = enterprise?.deleted.get(phone.device_id)
  if (enterprise && device) unenroll(core, phone, { enterprise, device })
  else detach(core, phone)
  return true
}

/** Applies the requested policy and state. @returns whether they changed */
export function applyPolicyAndState(core: Core, phone: Phone): boolean {
  const enrolled = findEnrolled(core, phone)
  if (enrolled === undefined) return false
  const { enterprise, device } = enrolled
  const policy = findPolicy(enterprise, device.resource.policyName)
  const applied = phone.applied_policy
  const isNewPolicy =
    policy !== undefined && (applied?.name !== policy.name || applied.version !== policy.version)
  if (isNewPolicy) {
    phone.applied_policy = { name: policy.name, version: policy.version }
    device.resource = { ...device.resource, lastPolicySyncTime: core.now().toISOString() }
  }
  // A phone without a policy is blocked and remains in provisioning.
  if (phone.applied_policy === null) return false
  const { state } = device.resource
  const requested = state === 'PROVISIONING' ? 'ACTIVE' : state
  const isNewState = phone.applied_state !== requested
  phone.applied_state = requested
  return isNewPolicy || isNewState
}

export function report(core: Core, phone: Phone): void {
  const enrolled = findEnrolled(core, phone)
  if (enrolled === undefined) return
  const { enterprise, device } = enrolled
  const policy = findPolicy(enterprise, phone.applied_policy?.name ?? device.resource.policyName)
  device.resource = reportOf(phone, device.resource, policy, core.now())
  core.touch()
  core.notify(enterprise, 'STATUS_REPORT', device.resource)
}

/** Executes a command. @param failure error with which the command fails instead */
export function executeCommand(
  core: Core,
  phone: Phone,
  operation: Operation,
  failure?: Outcome['error_code'],
): Operation {
  const enrolled = findEnrolled(core, phone)
  if (enrolled === undefined) {
    throw new ApiError('FAILED_PRECONDITION', 'The phone is no longer managed.')
  }
  const { metadata } = operation
  const refusal = failure ?? refusalOf(phone, metadata)
  if (refusal !== undefined) return finish(core, operation, { error_code: refusal })
  const done = finish(core, operation, { status: statusOf(phone, metadata) })
  if (metadata.type === 'WIPE' || metadata.type === 'RELINQUISH_OWNERSHIP') {
    unenroll(core, phone, enrolled)
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

/** Ends the management of a phone with a last report. */
function unenroll(core: Core, phone: Phone, { enterprise, device }: Enrolled): void {
  const policy = findPolicy(enterprise, device.resource.policyName)
  const last = reportOf(phone, device.resource, policy, core.now())
  const id = idOf(device.resource.name)
  enterprise.devices.delete(id)
  enterprise.deleted.delete(id)
  detach(core, phone)
  core.notify(enterprise, 'STATUS_REPORT', { ...last, state: 'DELETED', appliedState: 'DELETED' })
}

/** Removes the management from a phone without a report. */
export function detach(core: Core, phone: Phone): void {
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
