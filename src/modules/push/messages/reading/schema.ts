/** What is shown of messages and of what became of them. */
import {
  type MessageStatus,
  type PushContent,
  type PushProvider,
  type PushTarget,
  RECIPIENT_STATUSES,
} from '../../../../platform/postgres/tables/push.ts'

export type { MessageStatus, PushContent, PushProvider, PushTarget }

export type ShownMessage = {
  id: string
  application_id: string
  target: PushTarget
  /** How many ids the target has. */
  targets: number
  content: PushContent
  status: MessageStatus
  send_at: Date
  targeted: number
  recipients: number
  accepted: number
  failed: number
  received: number
  clicked: number
  /** Of the recipients so far; of a message that was cancelled there are none. */
  pending: number
  /** Were pending when the message was cancelled, and are still unsettled. */
  cancelled: number
  created_at: Date
  completed_at: Date | null
}

/** Messages of an application as a history. */
export type MessagePage = {
  messages: ShownMessage[]
  next_cursor: string | null
  /** How far back was looked when a filter left too few; null when the page is full or at the end. */
  examined_until: Date | null
}

export type FailureCount = { provider: PushProvider; reason: string | null; count: number }

export type MessageDetails = ShownMessage & {
  failures: FailureCount[]
  /** There are more failures than are counted by reason. */
  is_partial: boolean
}

export const SHOWN_STATUSES = [...RECIPIENT_STATUSES, 'cancelled'] as const
/** Of a message that was cancelled, what is pending will not be sent. */
export type ShownStatus = (typeof SHOWN_STATUSES)[number]

export type ShownRecipient = {
  provider: PushProvider
  subscription_id: string
  status: ShownStatus
  attempts: number
  due_at: Date | null
  reason: string | null
  provider_id: string | null
  settled_at: Date | null
  received_at: Date | null
  clicked_at: Date | null
  /** Null when nobody has signed in there, or the subscription is gone. */
  external_user_id: string | null
}

export type RecipientPage = {
  recipients: ShownRecipient[]
  /** To be given as `after`; null: there are no more. */
  next: string | null
}
