/**
 * Incoming webhooks of Slack over HTTPS: any path is a webhook. It answers `ok`, or 400 with Slack's reasons, and
 * records what it receives. Scenarios, `GET /received` and `PUT /control` are those of the webhook receiver.
 */
import { type Receiver, type ReceiverOptions, startReceiver } from './receiver.ts'

export { readReceiverScenario as readSlackScenario } from './receiver-scenario.ts'

export const startSlack = async (
  options: Omit<ReceiverOptions, 'answer'> = {},
): Promise<Receiver> => await startReceiver({ ...options, answer: answerOf })

/** A message needs a text or attachments. */
function answerOf(body: string): { status: number; body: string } {
  const message = parse(body)
  if (message === undefined) return { status: 400, body: 'invalid_payload' }
  const { text, attachments } = message
  const hasText = typeof text === 'string' && text !== ''
  const hasMore = Array.isArray(attachments) && attachments.length > 0
  return hasText || hasMore ? { status: 200, body: 'ok' } : { status: 400, body: 'no_text' }
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
