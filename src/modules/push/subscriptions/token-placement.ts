/**
 * Assigns a token to its subscription. A token belongs to exactly one subscription of an application, even
 * if it moves between subscriptions or several processes receive it at the same time (OP-95).
 */
import type { Db } from '../../../platform/postgres/db.ts'
import type { SubscriptionRow } from './store.ts'
import { tokenHashOf } from './token.ts'
import {
  assignToken,
  insertSubscription,
  lockCandidates,
  lockToken,
  type Placement,
  removeToken,
} from './token-placement.store.ts'

export type Placed =
  | { kind: 'placed'; subscription: SubscriptionRow }
  | { kind: 'unknown_subscription' }
  | { kind: 'other_provider' }

/** Must come first in a transaction, because it locks the token and then subscriptions by id. */
export async function placeToken(tx: Db, placement: Placement): Promise<Placed> {
  const { subscription_id, provider } = placement
  const token_hash = tokenHashOf(placement.token)
  await lockToken(tx, placement, token_hash)
  const rows = await lockCandidates(tx, placement, token_hash)
  const owner = rows.find((row) => row.token_hash === token_hash && row.provider === provider)
  const requested = rows.find(({ id }) => id === subscription_id?.toLowerCase())
  if (subscription_id !== undefined && !requested) return { kind: 'unknown_subscription' }
  if (requested && requested.provider !== provider) return { kind: 'other_provider' }
  const target = requested ?? owner
  if (!target) return placed(await insertSubscription(tx, placement, token_hash))
  if (owner && owner.id !== target.id) await removeToken(tx, placement, owner.id)
  return placed(await assignToken(tx, placement, { id: target.id, token_hash }))
}

function placed(subscription: SubscriptionRow | undefined): Placed {
  if (!subscription) throw new Error('a locked subscription has disappeared')
  return { kind: 'placed', subscription }
}
