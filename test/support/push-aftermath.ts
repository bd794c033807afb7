/** State of all affected tables after an attempt to send to one device. */
import { expect, vi } from 'vitest'
import type { PushProvider } from '../../src/modules/push/tables.ts'
import type { Dispatcher } from '../../src/platform/dispatch/index.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import {
  addPushMessage,
  addPushSubscriptions,
  type MessageOptions,
  type PushApp,
} from './push-dispatch.ts'

export type Aftermath = {
  message: string
  recipient: { status: string; reason: string | null; attempts: number; is_unsure: boolean }
  /** Why the subscription was invalidated; null while it is valid. */
  subscription: string | null
  credential: { status: string; error: string | null; is_paused: boolean }
}

const ACCEPTED_FIRST: Aftermath = {
  message: 'sent',
  recipient: { status: 'accepted', reason: null, attempts: 1, is_unsure: false },
  subscription: null,
  credential: { status: 'active', error: null, is_paused: false },
}

const UNCHANGED = {
  subscription: null,
  credential: { status: 'test_required', error: null, is_paused: false },
}

type Attempts = Pick<Aftermath['recipient'], 'attempts' | 'is_unsure'>
const NO_ATTEMPT: Attempts = { attempts: 0, is_unsure: false }
const ONE_ATTEMPT: Attempts = { attempts: 1, is_unsure: false }

const failed = (reason: string): Aftermath => ({
  ...UNCHANGED,
  message: 'failed',
  recipient: { status: 'failed', reason, ...ONE_ATTEMPT },
})
const pending = (reason: string | null, attempts: Attempts): Aftermath => ({
  ...UNCHANGED,
  message: 'sending',
  recipient: { status: 'pending', reason, ...attempts },
})
const PAUSED = { credential: { ...UNCHANGED.credential, is_paused: true } }

/** The expected state for each kind of outcome. */
export const AFTERMATH = {
  accepted: ACCEPTED_FIRST,
  message_failed: failed,
  token_invalidated: (reason: string) => ({ ...failed(reason), subscription: reason }),
  tried_later: (reason: string) => pending(reason, ONE_ATTEMPT),
  in_doubt: (reason: string) => pending(reason, { attempts: 1, is_unsure: true }),
  provider_unavailable: (reason: string) => ({ ...pending(reason, ONE_ATTEMPT), ...PAUSED }),
  app_paused: () => ({ ...pending(null, NO_ATTEMPT), ...PAUSED }),
  credential_rejected: (error: string) => ({
    ...pending(null, NO_ATTEMPT),
    credential: { status: 'needs_attention', error, is_paused: false },
  }),
} as const

/** Adds a message to one device and wakes the dispatcher. */
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
