/**
 * The Events API v2 of PagerDuty over HTTPS, at any path. It answers 202, or 400 with the fault of the event, and
 * records what it receives. Scenarios, `GET /received` and `PUT /control` are those of the webhook receiver.
 */
import { Type } from 'typebox'
import { type Receiver, type ReceiverOptions, startReceiver } from './receiver.ts'
import { oneOf, scenarioReader } from './scenario.ts'

export { readReceiverScenario as readPagerdutyScenario } from './receiver-scenario.ts'

export const startPagerduty = async (
  options: Omit<ReceiverOptions, 'answer'> = {},
): Promise<Receiver> => await startReceiver({ ...options, answer: answerOf })

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const readEvent = scenarioReader(
  'event',
  Type.Object({
    routing_key: Type.String({ pattern: '^[0-9A-Za-z]{32}$' }),
    event_action: oneOf('trigger', 'acknowledge', 'resolve'),
    dedup_key: text(255),
    payload: Type.Object({
      summary: text(1024),
      source: text(255),
      severity: oneOf('critical', 'error', 'warning', 'info'),
    }),
  }),
)

function answerOf(body: string): { status: number; body: string } {
  try {
    const { dedup_key } = readEvent(JSON.parse(body))
    const accepted = { status: 'success', message: 'Event processed', dedup_key }
    return { status: 202, body: JSON.stringify(accepted) }
  } catch (error) {
    const errors = [error instanceof Error ? error.message : String(error)]
    const refused = { status: 'invalid event', message: 'Event object is invalid', errors }
    return { status: 400, body: JSON.stringify(refused) }
  }
}
