/** Alert rules over the logs, judged by the hour where something begins, and up to now. */
import { ALERT_RULES } from '../story/alert-rules.ts'
import { FIRMWARE } from '../story/fleet.ts'
import type { Filling } from './context.ts'

const HOUR_MS = 3_600_000
/** After the update of the printers, and before the end. */
const FIRST_HOURS = 18
const LAST_HOURS = 6

/** @returns how often a rule began to fire */
export async function judgeAlerts({ services, clock, people, story }: Filling): Promise<number> {
  const { start, end } = story.span
  const { alerts } = services.telemetry
  clock.standAt(start + HOUR_MS)
  for (const rule of ALERT_RULES) await alerts.create({ org_id: people.org_id, ...rule })
  const updated = start + FIRMWARE.at_share * (end - start)
  const first = Array.from({ length: FIRST_HOURS }, (_, hour) => updated + hour * HOUR_MS)
  const last = Array.from(
    { length: LAST_HOURS },
    (_, hour) => end - (LAST_HOURS - 1 - hour) * HOUR_MS,
  )
  const lastBegins = last[0] ?? end
  const never = new AbortController().signal
  let fired = 0
  for (const at of [...first.filter((time) => time < lastBegins), ...last]) {
    fired += (await alerts.evaluate(new Date(at), never)).fired
  }
  return fired
}
