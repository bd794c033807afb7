/** Event sent by `POST /webhooks/{id}/test`: the result of a check that never took place (OP-56). */
import type { NewId } from '../../platform/ids.ts'
import type { EventType } from '../events/index.ts'

const TYPE = 'email.check.completed' satisfies EventType

/** `is_sandbox` marks it, as it marks every result that is not about a real person. */
export function testEvent(newId: NewId, now: Date): { id: string; type: EventType; body: string } {
  const id = newId(now)
  const data = {
    check_id: newId(now),
    email: 'test@example.com',
    risk_score: 0,
    risk_level: 'low',
    signals: { domain_age_score: 0, mx_score: 0, disposable_score: 0, velocity_score: 0 },
    tier: 'standard',
    credits_used: 0,
    is_sandbox: true,
  }
  const body = JSON.stringify({ id, type: TYPE, timestamp: now.toISOString(), data })
  return { id, type: TYPE, body }
}
