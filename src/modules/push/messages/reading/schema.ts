/** Messages and recipients as returned by the console API. */
import type { Selectable } from 'kysely'
import {
  type MessageStatus,
  type PushContent,
  type PushProvider,
  type PushTables,
  type PushTarget,
  RECIPIENT_STATUSES,
} from '../../tables.ts'

export type { MessageStatus, PushContent, PushProvider, PushTarget }

export type ShownMessage = Omit<
  Selectable<PushTables['push_messages']>,
  'org_id' | 'target_ids' | 'give_up_at' | 'expand_at' | 'expanded_provider' | 'expanded_after'
> & {
  /** Number of ids in the target. */
  targets: number
  /** Recipients without an outcome; always 0 for a canceled message. */
  pending: number
  /** Recipients of a canceled message without an outcome. */
  cancelled: number
}

/** Page of the message history of an application. */
export type MessagePage = {
  messages: ShownMessage[]
  next_cursor: string | null
  /** End of the range searched for a filtered page; null when the page is full or the history ends. */
  examined_until: Date | null
}

export type FailureCount = { provider: PushProvider; reason: string | null; count: number }

export type MessageDetails = ShownMessage & {
  failures: FailureCount[]
  /** There are more failures than were counted by reason. */
  is_partial: boolean
}

export const SHOWN_STATUSES = [...RECIPIENT_STATUSES, 'cancelled'] as const
/** Status of a recipient; `cancelled` replaces `pending` for canceled messages. */
export type ShownStatus = (typeof SHOWN_STATUSES)[number]

export type ShownRecipient = Omit<
  Selectable<PushTables['push_recipients']>,
  'message_id' | 'is_unsure' | 'status'
> & {
  status: ShownStatus
  /** Null when no user has signed in on the device, or the subscription has been deleted. */
  external_user_id: string | null
}

export type RecipientPage = {
  recipients: ShownRecipient[]
  /** Value of `after` for the next page; null on the last one. */
  next: string | null
}
