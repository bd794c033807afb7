/** Organizations that may speak about identities for others, and what they say. */
import type { Harness, Tenant } from '../harness.ts'
import { newOrder } from './orders.ts'

/** Creates an organization that the operator trusts. */
export async function createVoice(harness: Harness): Promise<Tenant> {
  const tenant = await harness.createTenant()
  await harness.services.reputation_operator.setTrust(tenant.org_id, true)
  return tenant
}

/**
 * Orders and decides as often as it takes for an organization to agree that there is fraud: orders
 * that were not flagged count less.
 */
export async function confirmFraud(
  { services, post }: Harness,
  { org_id, keys }: Tenant,
  given: Record<string, unknown>,
  mode: 'live' | 'test' = 'live',
): Promise<void> {
  for (let orders = 0; orders < 2; orders += 1) {
    const key = keys[`${mode}_secret`]
    const { body } = await post<{ order: { id: string } }>('/v1/orders', newOrder(given), { key })
    const decision = { decision: 'confirmed_fraud', by: 'test' } as const
    await services.reviews.decide(body.content.order.id, { org_id, mode }, decision)
  }
}
