/** The policies of an organisation. What is changed goes to the provider after the commit. */
import type { Clock } from '../../../platform/clock.ts'
import type { ApiDescription } from '../../../platform/google/api-description.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { auditEntry } from '../audit/entry.ts'
import { insertAuditEntries, userActor } from '../audit/store.ts'
import { requestDispatches } from '../dispatch/store.ts'
import { findEnterpriseSteadily, lockDeviceWriters } from '../enterprise/store.ts'
import { baselinePolicy } from './baseline.ts'
import { changePolicy } from './change.ts'
import { type PolicyRow, shownPolicy } from './record.ts'
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

/** Devices are held against the policy anew: the times it gives them to comply may be others. */
export type MarkComplianceDue = (tx: Db, orgId: string, policyId: string) => Promise<void>

export type PolicyDependencies = {
  db: Database
  newId: NewId
  clock: Clock
  /** Of the Android Management API, which policies are held against. */
  api: ApiDescription
  markComplianceDue: MarkComplianceDue
  limits: PolicyLimits
  /** Something waits to be brought to the provider. */
  hint: () => void
}

export type Policies = {
  /** Newest first. */
  list(orgId: string): Promise<Policy[]>
  /** @throws AppError 400 naming `policy_json.…` or `org_id` */
  create(userId: string, orgId: string, request: CreatePolicy): Promise<Policy>
  /**
   * @param basedOn `updated_at` of the policy that was changed: one of another time is left as it is
   * @returns undefined when the organisation has no such policy
   * @throws AppError 400 naming `policy_json.…`, `management_mode` or `based_on`
   */
  update(
    userId: string,
    orgId: string,
    id: string,
    request: UpdatePolicy,
    basedOn?: string,
  ): Promise<Policy | undefined>
}

export function createPolicies(deps: PolicyDependencies): Policies {
  const { db, api, limits, hint } = deps
  const refuseFaulty = (policy: Record<string, unknown> | undefined): void => {
    const fault = policy && findPolicyFault(api, policy, limits.mdm_policy_max_bytes)
    if (fault) throw invalidRequest(fault.field, fault.message)
  }

  return {
    list: async (orgId) => (await listPolicies(db, orgId)).map(shownPolicy),
    create: async (userId, orgId, request) => {
      refuseFaulty(request.policy_json)
      const now = deps.clock.now()
      const row = newPolicy(orgId, deps.newId(now), request, now)
      await db.transaction().execute(async (tx) => await storeNew(deps, tx, row, userId))
      hint()
      return shownPolicy(row)
    },
    update: async (userId, orgId, id, request, basedOn) => {
      if (!isUuid(id)) return undefined
      refuseFaulty(request.policy_json)
      const row = await retryConflicts(
        async () =>
          await db
            .transaction()
            .execute(
              async (tx) => await storeChange(deps, tx, { orgId, id, request, userId, basedOn }),
            ),
      )
      hint()
      return row && shownPolicy(row)
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
  const enterprise = await findEnterpriseSteadily(tx, org_id)
  await lockPolicies(tx, org_id)
  await refuseTooMuch(deps, tx, row)
  if (!(await insertPolicy(tx, row, mdm_policies_max))) {
    const message = `org_id has ${mdm_policies_max} policies, which is the most there can be`
    throw invalidRequest('org_id', message)
  }
  await insertVersion(tx, row, userId)
  await insertAuditEntries(tx, [
    auditEntry(deps.newId, created_at, {
      org_id,
      action: 'policy.created',
      actor: userActor(userId),
      target: { type: 'policy', id },
      after: { name, description, management_mode, version },
    }),
  ])
  if (enterprise) await requestDispatches(tx, 'publish_policy', [{ org_id, subject_id: id }])
}

type Change = {
  orgId: string
  id: string
  request: UpdatePolicy
  userId: string
  basedOn: string | undefined
}

/** One that is no larger than before is taken, whatever the limit became since. */
async function refuseTooMuch(
  { limits }: PolicyDependencies,
  tx: Db,
  row: PolicyRow,
): Promise<void> {
  const { mdm_policies_max_bytes } = limits
  const { all, before, after } = await measurePolicies(tx, row)
  if (all <= mdm_policies_max_bytes || after <= before) return
  throw invalidRequest(
    'policy_json',
    `policy_json is too large: with it, the policies of the organisation have ${all} bytes, and ${mdm_policies_max_bytes} is the most there can be`,
  )
}

/** Locks the policy, then devices, then what waits to be sent, as all do who need several of them. */
async function storeChange(
  deps: PolicyDependencies,
  tx: Db,
  { orgId, id, request, userId, basedOn }: Change,
): Promise<PolicyRow | undefined> {
  const now = deps.clock.now()
  const enterprise = await findEnterpriseSteadily(tx, orgId)
  if (request.policy_json !== undefined) await lockPolicies(tx, orgId)
  const row = await lockPolicy(tx, orgId, id)
  if (row && basedOn !== undefined && row.updated_at.toISOString() !== basedOn) throw wasChanged()
  const change = row && changePolicy(row, request, now)
  if (row && !change) return await publishAgain(tx, row, request)
  if (!change) return undefined
  if (change.has_new_mode && (await isPolicyUsed(tx, orgId, id))) throw modeIsUsed()
  if (change.has_new_version) await refuseTooMuch(deps, tx, change.row)
  await updatePolicy(tx, change.row)
  await insertAuditEntries(tx, [
    auditEntry(deps.newId, now, {
      org_id: orgId,
      action: 'policy.updated',
      actor: userActor(userId),
      target: { type: 'policy', id },
      before: change.before,
      after: change.after,
    }),
  ])
  if (!change.has_new_version) return change.row
  await insertVersion(tx, change.row, userId)
  await lockDeviceWriters(tx, orgId)
  await deps.markComplianceDue(tx, orgId, id)
  if (enterprise) {
    await requestDispatches(tx, 'publish_policy', [{ org_id: orgId, subject_id: id }])
  }
  return change.row
}

/** The same policy once more means: try again, if it was rejected. */
async function publishAgain(tx: Db, row: PolicyRow, request: UpdatePolicy): Promise<PolicyRow> {
  if (row.publish_error === null || request.policy_json === undefined) return row
  const waiting = { ...row, publish_error: null }
  await updatePolicy(tx, waiting)
  const { org_id, id } = row
  await requestDispatches(tx, 'publish_policy', [{ org_id, subject_id: id }])
  return waiting
}

const wasChanged = () =>
  invalidRequest('based_on', 'based_on is not the policy as it is: somebody changed it meanwhile')

const modeIsUsed = () =>
  invalidRequest(
    'management_mode',
    'management_mode cannot be changed while an enrolment token, a group or a device uses the policy',
  )
