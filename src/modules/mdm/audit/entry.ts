/** What is written down of an action: who did it, to what, and what was there before and after. */
import type { NewId } from '../../../platform/ids.ts'
import type { Actor, AuditRow } from './store.ts'

/** Every action there is (OP-78). */
export const AUDIT_ACTIONS = [
  'enterprise.signup_started',
  'enterprise.created',
  'policy.created',
  'policy.updated',
  'policy.published',
  'policy.rejected',
  'enrollment_token.created',
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
  /** Only what changed; never a secret. */
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
