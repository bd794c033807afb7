/** Converts a stored subscription to the form that the console API returns. */
import type { PushProvider } from '../tables.ts'
import type { Platform, Subscription } from './schema.ts'
import type { SubscriptionRow } from './store.ts'
import { TOKEN_TAIL_CHARS } from './token.ts'

export const PROVIDER_OF: Record<Platform, PushProvider> = { android: 'fcm', ios: 'apns' }

export const platformOf = (provider: PushProvider): Platform =>
  provider === 'fcm' ? 'android' : 'ios'

export function shownSubscription(row: SubscriptionRow): Subscription {
  const { org_id: _org, provider, token, ...rest } = row
  return {
    ...rest,
    platform: platformOf(provider),
    token_tail: token === null ? null : token.slice(-TOKEN_TAIL_CHARS),
    is_reachable: row.permission !== 'denied' && row.invalidated_at === null,
  }
}
