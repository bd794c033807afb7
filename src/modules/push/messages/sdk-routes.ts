/** Route for backends that ask what became of a message; /v1 has no path for it (OP-160). */
import { type Static, Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { found } from '../../../platform/http/found.ts'
import { choice, nullable } from '../../../platform/http/schemas.ts'
import { MESSAGE_STATUSES, PUSH_PROVIDERS, PUSH_TARGETS } from '../tables.ts'
import type { MessageOperations } from './operations.ts'
import type { MessageDetails } from './reading/schema.ts'

const SHOWN = 'Push message'
const count = (description: string) => Type.Integer({ description })
const time = () => Type.String({ format: 'date-time' })

const state = Type.Object(
  {
    message_id: Type.String({ format: 'uuid' }),
    application_id: Type.String({ format: 'uuid' }),
    status: choice(MESSAGE_STATUSES),
    target: choice(PUSH_TARGETS),
    send_at: time(),
    created_at: time(),
    completed_at: nullable(time()),
    targeted: count('Reachable subscriptions in the target when the message was created'),
    recipients: count('Subscriptions that the message was or will be sent to'),
    pending: count('Recipients without an outcome'),
    cancelled: count('Recipients of a canceled message without an outcome'),
    accepted: count('Recipients whose provider accepted the notification'),
    failed: count('Recipients whose notification failed'),
    received: count('Recipients whose app reported that it received the notification'),
    clicked: count('Recipients whose app reported that the user tapped the notification'),
    failures: Type.Array(
      Type.Object({
        provider: choice(PUSH_PROVIDERS),
        reason: nullable(Type.String()),
        count: Type.Integer(),
      }),
      { description: 'Failures by reason' },
    ),
    is_partial: Type.Boolean({ description: 'There are more failures than `failures` counts' }),
  },
  {
    $id: 'PushMessageState',
    examples: [
      {
        message_id: '0198c3a2-9d10-7aa1-8b0e-5c1f2a3b4d5e',
        application_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
        status: 'sent',
        target: 'external_user_ids',
        send_at: '2026-03-01T12:01:00.000Z',
        created_at: '2026-03-01T12:01:00.000Z',
        completed_at: '2026-03-01T12:01:00.200Z',
        targeted: 1,
        recipients: 1,
        pending: 0,
        cancelled: 0,
        accepted: 1,
        failed: 0,
        received: 1,
        clicked: 0,
        failures: [],
        is_partial: false,
      },
    ],
    'x-open-point': 'OP-160',
  },
)

export function messageStateRoutes(
  app: App,
  { operations }: { operations: Pick<MessageOperations, 'findOf'> },
): void {
  app.get(
    '/sdk/push/messages/:message_id',
    {
      config: { access: 'secret_key', scope: 'push:read', rate_class: 'read' },
      schema: {
        operationId: 'getPushMessage',
        summary: 'Show what became of a push message',
        tags: ['Push for apps'],
        'x-open-point': 'OP-38, OP-160',
        params: Type.Object({ message_id: Type.String() }),
        response: responses(state, SHOWN),
      },
    },
    async ({ key: { org_id, mode }, params }) => {
      const message = found(await operations.findOf({ org_id, mode }, params.message_id))
      return envelope(SHOWN, stateOf(message))
    },
  )
}

function stateOf({
  id,
  send_at,
  created_at,
  completed_at,
  ...rest
}: MessageDetails): Static<typeof state> {
  return {
    ...rest,
    message_id: id,
    send_at: send_at.toISOString(),
    created_at: created_at.toISOString(),
    completed_at: completed_at?.toISOString() ?? null,
  }
}
