/**
 * A token finds its subscription. One token has one subscription of its application, whoever else had it
 * and however many processes are told at once.
 */
import type { Db } from '../../../../platform/postgres/db.ts'
import type { SubscriptionRow } from '../store.ts'
import { tokenHashOf } from '../token.ts'
import {
  giveToken,
  insertSubscription,
  lockConcerned,
  lockToken,
  type Placement,
  takeToken,
} from './store.ts'

export type Placed =
  | { kind: 'placed'; subscription: SubscriptionRow }
  | { kind: 'unknown_subscription' }
  | { kind: 'other_provider' }

/** The first that a transaction does: locks are taken token first, then subscriptions by id. */
export async function placeToken(tx: Db, placement: Placement): Promise<Placed> {
  const { subscription_id, provider } = placement
  const token_hash = tokenHashOf(placement.token)
  await lockToken(tx, placement, token_hash)
  const rows = await lockConcerned(tx, placement, token_hash)
  const owner = rows.find((row) => row.token_hash === token_hash && row.provider === provider)
  const named = rows.find(({ id }) => id === subscription_id?.toLowerCase())
  if (subscription_id !== undefined && !named) return { kind: 'unknown_subscription' }
  if (named && named.provider !== provider) return { kind: 'other_provider' }
  const target = named ?? owner
  if (!target) return placed(await insertSubscription(tx, placement, token_hash))
  if (owner && owner.id !== target.id) await takeToken(tx, placement, owner.id)
  return placed(await giveToken(tx, placement, { id: target.id, token_hash }))
}

function placed(subscription: SubscriptionRow | undefined): Placed {
  if (!subscription) throw new Error('a subscription that is locked has vanished')
  return { kind: 'placed', subscription }
}
