/** Entries of the audit log: who did what to which record, and its values before and after. */
import type { NewId } from '../../../platform/ids.ts'
import type { ActorType, MdmTables } from '../tables.ts'

export type AuditRow = MdmTables['mdm_audit_log']

export type Actor = { type: ActorType; id: string | null }

/** Vigil itself. */
export const SYSTEM: Actor = { type: 'system', id: null }
/** Google's Android Management API. */
export const PROVIDER: Actor = { type: 'provider', id: null }
export const userActor = (userId: string): Actor => ({ type: 'user', id: userId })

/** All actions that are audited (OP-78). */
export const AUDIT_ACTIONS = [
  'enterprise.signup_started',
  'enterprise.created',
  'policy.created',
  'policy.updated',
  'policy.published',
  'policy.rejected',
  'enrollment_token.created',
  'enrollment_token.ended',
  'device.enrolled',
  'device.state_changed',
  'device.compliance_changed',
  'device.updated',
  'device.policy_assigned',
  'device.policy_applied',
  'device.policy_rejected',
  'device.deletion_requested',
  'device.deleted',
  'command.created',
  'command.sent',
  'command.completed',
  'group.created',
  'group.updated',
  'group.deleted',
  'group.devices_assigned',
  'group.command_created',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export type AuditTarget =
  | { type: 'enterprise' | 'policy' | 'enrollment_token' | 'group'; id: string | null }
  | { type: 'device'; id: string }
  | { type: 'command'; id: string; device_id: string }

export type AuditFacts = {
  org_id: string
  action: AuditAction
  actor: Actor
  target: AuditTarget
  /** Only the members that changed; never a secret. */
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
}

export function auditEntry(newId: NewId, now: Date, facts: AuditFacts): AuditRow {
  const { org_id, action, actor, target, before = null, after = null } = facts
  return {
    org_id,
    id: newId(now),
    action,
    actor_type: actor.type,
    actor_id: actor.id,
    target_type: target.type,
    target_id: target.id,
    device_id: deviceOf(target),
    before,
    after,
    created_at: now,
  }
}

function deviceOf(target: AuditTarget): string | null {
  if (target.type === 'device') return target.id
  return target.type === 'command' ? target.device_id : null
}
