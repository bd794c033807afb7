/** Events that are sent to one endpoint to test its receiver. */
import type { NewId } from '../../platform/ids.ts'
import type { EventType } from '../events/index.ts'

export type SampleEvent = { type: EventType; data: unknown }

/** By default, the event of `POST /webhooks/{id}/test` (OP-56). */
export function testEvent(
  newId: NewId,
  now: Date,
  { type, data }: SampleEvent = resultOfNoCheck(newId(now)),
): { id: string; type: EventType; body: string } {
  const id = newId(now)
  return { id, type, body: JSON.stringify({ id, type, timestamp: now.toISOString(), data }) }
}

/**
 * The result of a check that never took place. `is_sandbox` marks it, as it marks every result that is not
 * about a real person.
 */
const resultOfNoCheck = (check_id: string): SampleEvent => ({
  type: 'email.check.completed',
  data: {
    check_id,
    email: 'test@example.com',
    risk_score: 0,
    risk_level: 'low',
    signals: { domain_age_score: 0, mx_score: 0, disposable_score: 0, velocity_score: 0 },
    tier: 'standard',
    credits_used: 0,
    is_sandbox: true,
  },
})
