/** A subscription as it is shown: nothing of its token but the end. */
import type { PushProvider } from '../../../platform/postgres/tables/push.ts'
import type { SubscriptionRow } from './store.ts'
import { TOKEN_TAIL_CHARS } from './token.ts'

export const PLATFORMS = ['android', 'ios'] as const
export type Platform = (typeof PLATFORMS)[number]

export const PROVIDER_OF: Record<Platform, PushProvider> = { android: 'fcm', ios: 'apns' }

export type Subscription = Omit<SubscriptionRow, 'org_id' | 'provider' | 'token'> & {
  platform: Platform
  /** Null when another subscription has the token now. */
  token_tail: string | null
  is_reachable: boolean
}

export function shownSubscription(row: SubscriptionRow): Subscription {
  const { org_id: _org, provider, token, ...rest } = row
  return {
    ...rest,
    platform: provider === 'fcm' ? 'android' : 'ios',
    token_tail: token === null ? null : token.slice(-TOKEN_TAIL_CHARS),
    is_reachable: row.permission !== 'denied' && row.invalidated_at === null,
  }
}
