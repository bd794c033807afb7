/** The policies of an organization. Changes are dispatched to the provider after the commit. */
import type { Clock } from '../../../platform/clock.ts'
import type { ApiDescription } from '../../../platform/google/api-description.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { userActor } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import type { markComplianceDue } from '../devices/store.ts'
import { requestDispatches } from '../dispatch/store.ts'
import { findEnterpriseForShare, lockDeviceWriters } from '../enterprise/store.ts'
import { baselinePolicy } from './baseline.ts'
import { changePolicy } from './change.ts'
import { type PolicyRow, toPolicy } from './record.ts'
import type { CreatePolicy, Policy, UpdatePolicy } from './schema.ts'
import {
  insertPolicy,
  insertVersion,
  isPolicyUsed,
  listPolicies,
  lockPolicies,
  lockPolicy,
  measurePolicies,
  updatePolicy,
} from './store.ts'
import { findPolicyFault } from './validation.ts'

export type PolicyLimits = {
  mdm_policies_max: number
  mdm_policies_max_bytes: number
  mdm_policy_max_bytes: number
}

export type PolicyDependencies = {
  db: Database
  newId: NewId
  clock: Clock
  /** The description of the Android Management API, against which policies are validated. */
  api: ApiDescription
  /** The grace periods of the policy may have changed. */
  markComplianceDue: typeof markComplianceDue
  limits: PolicyLimits
  /** Notifies the dispatcher that something may be due. */
  hint: () => void
}

export type Policies = {
  /** Newest first. */
  list(orgId: string): Promise<Policy[]>
  /** @throws AppError 400 naming `policy_json.…` or `org_id` */
  create(userId: string, orgId: string, request: CreatePolicy): Promise<Policy>
  /**
   * @param target with `based_on`, the policy is changed only if that is its current `updated_at`
   * @returns undefined when the organization has no such policy
   * @throws AppError 400 naming `policy_json.…`, `management_mode` or `based_on`
   */
  update(
    userId: string,
    orgId: string,
    target: { id: string; based_on?: string },
    request: UpdatePolicy,
  ): Promise<Policy | undefined>
}

export function createPolicies(deps: PolicyDependencies): Policies {
  const { db, api, limits, hint } = deps
  const refuseFaulty = (policy: Record<string, unknown> | undefined): void => {
    const fault = policy && findPolicyFault(api, policy, limits.mdm_policy_max_bytes)
    if (fault) throw invalidRequest(fault.field, fault.message)
  }

  return {
    list: async (orgId) => (await listPolicies(db, orgId)).map(toPolicy),
    create: async (userId, orgId, request) => {
      refuseFaulty(request.policy_json)
      const now = deps.clock.now()
      const row = newPolicy(orgId, deps.newId(now), request, now)
      await db.transaction().execute(async (tx) => await storeNew(deps, tx, row, userId))
      hint()
      return toPolicy(row)
    },
    update: async (userId, orgId, target, request) => {
      if (!isUuid(target.id)) return undefined
      refuseFaulty(request.policy_json)
      const change = { ...target, orgId, userId, request }
      const row = await retryConflicts(() =>
        db.transaction().execute((tx) => storeChange(deps, tx, change)),
      )
      hint()
      return row && toPolicy(row)
    },
  }
}

function newPolicy(org_id: string, id: string, request: CreatePolicy, now: Date): PolicyRow {
  const { name, management_mode, description = '' } = request
  return {
    org_id,
    id,
    name,
    description,
    management_mode,
    policy_json: request.policy_json ?? baselinePolicy(management_mode),
    version: 1,
    published_version: null,
    provider_version: null,
    publish_error: null,
    created_at: now,
    updated_at: now,
  }
}

async function storeNew(
  deps: PolicyDependencies,
  tx: Db,
  row: PolicyRow,
  userId: string,
): Promise<void> {
  const { org_id, id, name, description, management_mode, version, created_at } = row
  const { mdm_policies_max } = deps.limits
  const enterprise = await findEnterpriseForShare(tx, org_id)
  await lockPolicies(tx, org_id)
  await refuseTooLarge(deps, tx, row)
  if (!(await insertPolicy(tx, row, mdm_policies_max))) {
    const message = `org_id has reached the limit of ${mdm_policies_max} policies`
    throw invalidRequest('org_id', message)
  }
  await insertVersion(tx, row, userId)
  await writeAudit(tx, deps.newId, created_at, {
    org_id,
    action: 'policy.created',
    actor: userActor(userId),
    target: { type: 'policy', id },
    after: { name, description, management_mode, version },
  })
  if (enterprise) await requestDispatches(tx, 'publish_policy', [{ org_id, subject_id: id }])
}

type Change = {
  orgId: string
  id: string
  request: UpdatePolicy
  userId: string
  based_on?: string
}

/** Accepts a policy that does not grow, even if the limit has been lowered since. */
async function refuseTooLarge(
  { limits }: PolicyDependencies,
  tx: Db,
  row: PolicyRow,
): Promise<void> {
  const { mdm_policies_max_bytes } = limits
  const { all, before, after } = await measurePolicies(tx, row)
  if (all <= mdm_policies_max_bytes || after <= before) return
  throw invalidRequest(
    'policy_json',
    `policy_json is too large: it brings the policies of the organization to ${all} bytes, and the limit is ${mdm_policies_max_bytes}`,
  )
}

/** Locks the policy, the devices and the dispatches in this order, like every other transaction. */
async function storeChange(
  deps: PolicyDependencies,
  tx: Db,
  { orgId, id, request, userId, based_on }: Change,
): Promise<PolicyRow | undefined> {
  const now = deps.clock.now()
  const enterprise = await findEnterpriseForShare(tx, orgId)
  if (request.policy_json !== undefined) await lockPolicies(tx, orgId)
  const row = await lockPolicy(tx, orgId, id)
  if (row && based_on !== undefined && row.updated_at.toISOString() !== based_on) throw outdated()
  const change = row && changePolicy(row, request, now)
  if (row && !change) return await publishAgain(tx, row, request)
  if (!change) return undefined
  if (change.has_new_mode && (await isPolicyUsed(tx, orgId, id))) throw modeInUse()
  if (change.has_new_version) await refuseTooLarge(deps, tx, change.row)
  await updatePolicy(tx, change.row)
  await writeAudit(tx, deps.newId, now, {
    org_id: orgId,
    action: 'policy.updated',
    actor: userActor(userId),
    target: { type: 'policy', id },
    before: change.before,
    after: change.after,
  })
  if (!change.has_new_version) return change.row
  await insertVersion(tx, change.row, userId)
  await lockDeviceWriters(tx, orgId)
  await deps.markComplianceDue(tx, orgId, id)
  if (enterprise) {
    await requestDispatches(tx, 'publish_policy', [{ org_id: orgId, subject_id: id }])
  }
  return change.row
}

/** Sending the current document of a rejected policy again requests another attempt. */
async function publishAgain(tx: Db, row: PolicyRow, request: UpdatePolicy): Promise<PolicyRow> {
  if (row.publish_error === null || request.policy_json === undefined) return row
  const waiting = { ...row, publish_error: null }
  await updatePolicy(tx, waiting)
  const { org_id, id } = row
  await requestDispatches(tx, 'publish_policy', [{ org_id, subject_id: id }])
  return waiting
}

const outdated = () =>
  invalidRequest('based_on', 'based_on is outdated: the policy has been changed since; reload it')

const modeInUse = () =>
  invalidRequest(
    'management_mode',
    'management_mode cannot be changed while an enrollment token, a group or a device uses the policy',
  )
