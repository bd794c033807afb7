/**
 * Sends events to the service, concurrently and at their times. The events of one cashier follow one
 * another, because a cashier who clocks in before selling has to be known to be on shift.
 */
import type { StoryEvent } from '../story/event.ts'
import type { ReplayContext } from './context.ts'
import { createLimit } from './limit.ts'

/** A higher concurrency does not fill the batches of the lane any better. */
const CONCURRENCY = 96

export async function replayEvents(
  context: ReplayContext,
  events: readonly StoryEvent[],
): Promise<void> {
  const limit = createLimit(CONCURRENCY)
  const chains = new Map<string, Promise<unknown>>()
  for (const event of events) {
    const cashier = cashierOf(event)
    const send = () => context.clock.runAt(event.at, () => sendEvent(context, event))
    await limit.run(() => {
      const before = cashier === undefined ? undefined : chains.get(cashier)
      const sent = before ? before.then(send) : send()
      if (cashier !== undefined) chains.set(cashier, sent)
      return sent
    })
  }
  await limit.idle()
}

/**
 * Only actions of cashiers read before they write; all other events keep their order when they are
 * called.
 */
function cashierOf(event: StoryEvent): string | undefined {
  if (event.kind === 'action') return event.action.cashier_external_id
  return event.kind === 'order' ? event.order.cashier_external_id : undefined
}

async function sendEvent({ services, people }: ReplayContext, event: StoryEvent): Promise<unknown> {
  const owner = { org_id: people.org_id, mode: 'live' } as const
  switch (event.kind) {
    case 'order':
      return await services.orders.score(owner, event.order)
    case 'action':
      return await services.cashier.record(owner, event.action)
    case 'profile':
      return await services.profiles.upsert(owner, event.profile)
    case 'check': {
      const { check, mode, client_ip } = event
      return await services.checks.run({ org_id: people.org_id, mode, client_ip }, check)
    }
  }
}
