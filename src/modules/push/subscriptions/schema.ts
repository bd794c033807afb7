/** A subscription as it is shown: nothing of its token but the end. */
import type { PushTables } from '../../../platform/postgres/tables/push.ts'

export const PLATFORMS = ['android', 'ios'] as const
export type Platform = (typeof PLATFORMS)[number]

type Row = PushTables['push_subscriptions']

export type Subscription = Omit<Row, 'org_id' | 'provider' | 'token' | 'token_hash'> & {
  platform: Platform
  /** Null when another subscription has the token now. */
  token_tail: string | null
  is_reachable: boolean
}

/** How many subscriptions of a platform there are. */
export type Audience = {
  platform: Platform
  total: number
  reachable: number
  identified: number
}
