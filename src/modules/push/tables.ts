import type { Generated } from 'kysely'
import type { Mode } from '../../platform/owner.ts'

export const PUSH_PROVIDERS = ['fcm', 'apns'] as const
export type PushProvider = (typeof PUSH_PROVIDERS)[number]

export const CREDENTIAL_STATUSES = ['test_required', 'active', 'needs_attention'] as const
export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number]

export const PERMISSIONS = ['granted', 'provisional', 'denied'] as const
export type Permission = (typeof PERMISSIONS)[number]

export const PUSH_TARGETS = ['all', 'external_user_ids', 'subscription_ids'] as const
export type PushTarget = (typeof PUSH_TARGETS)[number]

export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'partially_failed',
  'failed',
  'cancelled',
] as const
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

export const RECIPIENT_STATUSES = ['pending', 'accepted', 'failed'] as const
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number]

/** Content of a message, identical for all its recipients. */
export type PushContent = {
  title?: string
  body?: string
  data?: Record<string, string>
  image?: string
  deep_link?: string
  ttl_seconds?: number
  collapse_key?: string
  priority?: 'high' | 'normal'
  badge?: number
  sound?: string
  channel_id?: string
}

export type PushTables = {
  push_configurations: {
    application_id: string
    org_id: string
    id: string
    android_package_name: string | null
    ios_bundle_id: string | null
    created_at: Date
    updated_at: Date
  }
  push_credentials: {
    application_id: string
    provider: PushProvider
    org_id: string
    version: string
    sealed: string
    shown: Record<string, string>
    status: CredentialStatus
    error: string | null
    stored_at: Date
    accepted_at: Date | null
    rejected_at: Date | null
    paused_until: Date | null
    pauses: Generated<number>
  }
  push_identity_keys: {
    id: string
    private_key: string
    public_key: Record<string, string>
    created_at: Date
  }
  push_identity_uses: {
    org_id: string
    jti: string
    subscription_id: string
    expires_at: Date
  }
  push_subscriptions: {
    application_id: string
    id: string
    org_id: string
    provider: PushProvider
    token: string | null
    token_hash: string | null
    token_registered_at: Date
    external_user_id: string | null
    identified_at: Date | null
    permission: Permission
    invalidated_at: Date | null
    invalid_reason: string | null
    locale: string | null
    app_version: string | null
    time_zone: string | null
    /** Null until an app has registered the subscription itself. */
    secret_hash: Buffer | null
    secret_salt: Buffer | null
    created_at: Date
    updated_at: Date
  }
  push_registration_counts: {
    org_id: string
    application_id: string
    /** Day in UTC, such as `2026-03-01`. */
    day: string
    key_id: string
    created: Generated<number>
    refused: Generated<number>
  }
  push_messages: {
    id: string
    org_id: string
    application_id: string
    target: PushTarget
    target_ids: string[]
    content: PushContent
    status: MessageStatus
    send_at: Date
    give_up_at: Date
    expand_at: Date | null
    expanded_provider: PushProvider | null
    expanded_after: string | null
    targeted: number
    recipients: Generated<number>
    accepted: Generated<number>
    failed: Generated<number>
    received: Generated<number>
    clicked: Generated<number>
    created_at: Date
    completed_at: Date | null
  }
  push_idempotency_keys: {
    org_id: string
    mode: Mode
    key: string
    fingerprint: Buffer
    message_id: string
    answer: unknown
    created_at: Date
  }
  push_recipients: {
    org_id: string
    message_id: string
    provider: PushProvider
    subscription_id: string
    status: Generated<RecipientStatus>
    attempts: Generated<number>
    is_unsure: Generated<boolean>
    due_at: Date | null
    reason: string | null
    provider_id: string | null
    settled_at: Date | null
    received_at: Date | null
    clicked_at: Date | null
  }
  push_batches: {
    org_id: string
    application_id: string
    provider: PushProvider
    message_id: string
    first_id: string
    last_id: string
    is_broadcast: boolean
    recipients: number
    due_at: Date
    lease_id: string | null
    leased_until: Date | null
  }
}
