/** What an attempt to send to one device left behind, in all tables that it concerns. */
import { expect, vi } from 'vitest'
import type { Dispatcher } from '../../src/platform/dispatch/index.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import type { PushProvider } from '../../src/platform/postgres/tables/push.ts'
import { addPushMessage, addPushSubscriptions, type MessageOptions, type PushApp } from './push.ts'

export type Aftermath = {
  message: string
  recipient: { status: string; reason: string | null; attempts: number; is_unsure: boolean }
  /** Why the subscription ended; null while it has not. */
  subscription: string | null
  credential: { status: string; error: string | null; is_paused: boolean }
}

const ACCEPTED_AT_ONCE: Aftermath = {
  message: 'sent',
  recipient: { status: 'accepted', reason: null, attempts: 1, is_unsure: false },
  subscription: null,
  credential: { status: 'active', error: null, is_paused: false },
}

const untouched = {
  subscription: null,
  credential: { status: 'test_required', error: null, is_paused: false },
}

const once = { attempts: 1, is_unsure: false }

/** The kinds of aftermath that there are. */
export const AFTERMATH = {
  accepted: ACCEPTED_AT_ONCE,
  message_failed: (reason: string): Aftermath => ({
    ...untouched,
    message: 'failed',
    recipient: { status: 'failed', reason, ...once },
  }),
  token_ended: (reason: string): Aftermath => ({
    ...untouched,
    message: 'failed',
    recipient: { status: 'failed', reason, ...once },
    subscription: reason,
  }),
  tried_later: (reason: string): Aftermath => ({
    ...untouched,
    message: 'sending',
    recipient: { status: 'pending', reason, ...once },
  }),
  in_doubt: (reason: string): Aftermath => ({
    ...untouched,
    message: 'sending',
    recipient: { status: 'pending', reason, attempts: 1, is_unsure: true },
  }),
  provider_away: (reason: string): Aftermath => ({
    ...untouched,
    message: 'sending',
    recipient: { status: 'pending', reason, ...once },
    credential: { status: 'test_required', error: null, is_paused: true },
  }),
  app_paused: (): Aftermath => ({
    ...untouched,
    message: 'sending',
    recipient: { status: 'pending', reason: null, attempts: 0, is_unsure: false },
    credential: { status: 'test_required', error: null, is_paused: true },
  }),
  credential_rejected: (error: string): Aftermath => ({
    ...untouched,
    message: 'sending',
    recipient: { status: 'pending', reason: null, attempts: 0, is_unsure: false },
    credential: { status: 'needs_attention', error, is_paused: false },
  }),
} as const

/** A message to one device, which is being sent. */
export async function sendToPhone(
  db: Db,
  app: PushApp,
  token: string,
  given: MessageOptions & { provider: PushProvider; dispatcher?: Dispatcher },
): Promise<{ id: string; subscription_id: string; becomes: (is: Aftermath) => Promise<void> }> {
  const { provider, dispatcher } = given
  const [subscription_id = ''] = await addPushSubscriptions(db, app, [token], { provider })
  const id = await addPushMessage(db, app, [subscription_id], given)
  dispatcher?.hint()
  const becomes = async (is: Aftermath) =>
    await vi.waitFor(async () => expect(await aftermathOf(db, app, provider, id)).toEqual(is), {
      timeout: 15_000,
    })
  return { id, subscription_id, becomes }
}

async function aftermathOf(
  db: Db,
  { application_id }: PushApp,
  provider: PushProvider,
  messageId: string,
): Promise<Aftermath> {
  const message = await db
    .selectFrom('push_messages')
    .select('status')
    .where('id', '=', messageId)
    .executeTakeFirstOrThrow()
  const { subscription_id, ...recipient } = await db
    .selectFrom('push_recipients')
    .select(['subscription_id', 'status', 'reason', 'attempts', 'is_unsure'])
    .where('message_id', '=', messageId)
    .executeTakeFirstOrThrow()
  const subscription = await db
    .selectFrom('push_subscriptions')
    .select('invalid_reason')
    .where('application_id', '=', application_id)
    .where('id', '=', subscription_id)
    .executeTakeFirstOrThrow()
  const { paused_until, ...credential } = await db
    .selectFrom('push_credentials')
    .select(['status', 'error', 'paused_until'])
    .where('application_id', '=', application_id)
    .where('provider', '=', provider)
    .executeTakeFirstOrThrow()
  return {
    message: message.status,
    recipient,
    subscription: subscription.invalid_reason,
    credential: { ...credential, is_paused: paused_until !== null },
  }
}
