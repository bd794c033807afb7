/** Log alert rules, evaluated every hour after the firmware update and before the end. */
import { HOUR_MS } from '../../world/time.ts'
import { ALERT_RULES } from '../story/alert-rules.ts'
import { FIRMWARE } from '../story/fleet.ts'
import type { FillContext } from './context.ts'
import { telemetryFlushed } from './telemetry.ts'

const HOURS_AFTER_UPDATE = 18
const LAST_HOURS = 6

/** Returns the number of times that a rule began to fire. */
export async function createAlertRules(context: FillContext): Promise<number> {
  const { services, clock, people, story, has_logs } = context
  if (!has_logs) return 0
  await telemetryFlushed(context)
  const { start, end } = story.span
  const { alerts } = services.telemetry
  clock.freezeAt(start + HOUR_MS)
  const actor = { org_id: people.org_id, user_id: null }
  for (const rule of ALERT_RULES) await alerts.create(actor, rule)
  const updated = start + FIRMWARE.at_share * (end - start)
  const hours = (count: number, first: number) =>
    Array.from({ length: count }, (_, hour) => first + hour * HOUR_MS)
  const lastHours = hours(LAST_HOURS, end - (LAST_HOURS - 1) * HOUR_MS)
  const afterUpdate = hours(HOURS_AFTER_UPDATE, updated).filter((at) => at < Math.min(...lastHours))
  const never = new AbortController().signal
  let fired = 0
  for (const at of [...afterUpdate, ...lastHours]) {
    fired += (await alerts.evaluate(new Date(at), never)).fired
  }
  return fired
}
