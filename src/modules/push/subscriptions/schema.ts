/** Subscription as returned by the console API, which shows only the end of the token. */
import type { PushTables } from '../tables.ts'

export const PLATFORMS = ['android', 'ios'] as const
export type Platform = (typeof PLATFORMS)[number]

type Row = PushTables['push_subscriptions']

export type Subscription = Omit<
  Row,
  'org_id' | 'provider' | 'token' | 'token_hash' | 'secret_hash' | 'secret_salt'
> & {
  platform: Platform
  /** Null when the token has moved to another subscription. */
  token_tail: string | null
  is_reachable: boolean
}

/** Number of subscriptions of a platform. */
export type Audience = {
  platform: Platform
  total: number
  reachable: number
  identified: number
}
