/**
 * Tells the service what happened, by time and side by side. Whatever concerns one cashier goes one
 * after another, because who clocks in before selling must be known to have.
 */
import type { StoryEvent } from '../story/event.ts'
import type { Telling } from './context.ts'

/** More fill the batches of the lane no better. */
const IN_FLIGHT_MAX = 96

export async function tellAll(telling: Telling, events: readonly StoryEvent[]): Promise<void> {
  const under = new Set<Promise<unknown>>()
  const chains = new Map<string, Promise<unknown>>()
  let failure: unknown
  for (const event of events) {
    if (failure !== undefined) break
    const chain = chainOf(event)
    const before = chain === undefined ? undefined : chains.get(chain)
    const told = (before ? before.then(() => tellOne(telling, event)) : tellOne(telling, event))
      .catch((error: unknown) => {
        failure ??= error
      })
      .finally(() => under.delete(told))
    under.add(told)
    if (chain !== undefined) chains.set(chain, told)
    if (under.size >= IN_FLIGHT_MAX) await Promise.race(under)
  }
  await Promise.all(under)
  if (failure !== undefined) throw failure
}

/** Only cashiers act by reading first; everything else is in its place when it is called. */
function chainOf(event: StoryEvent): string | undefined {
  if (event.kind === 'action') return event.action.cashier_external_id
  return event.kind === 'order' ? event.order.cashier_external_id : undefined
}

async function tellOne(telling: Telling, event: StoryEvent): Promise<unknown> {
  return await telling.clock.runAt(event.at, () => callFor(telling, event))
}

async function callFor({ services, people }: Telling, event: StoryEvent): Promise<unknown> {
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
