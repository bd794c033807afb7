/** Route for sending messages (specification, "Push"). */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'

import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { createKnownMembers } from '../../../platform/http/known-members.ts'
import type { Validators } from '../../../platform/http/validation.ts'
import { readIdempotencyKey } from './idempotency.ts'
import { type MessageLimits, messageMaxBytes, messageSchemas } from './schema.ts'
import type { Messages } from './service.ts'

export type MessageRouteDependencies = {
  messages: Messages
  validators: Validators
  field_limits: MessageLimits
}

const ACCEPTED = 'Message accepted'

export function messageRoutes(
  app: App,
  { messages, validators, field_limits }: MessageRouteDependencies,
): void {
  const schemas = messageSchemas(field_limits)
  const knownMembers = createKnownMembers(schemas.request)

  app.post(
    '/v1/push-sdk/messages',
    {
      config: {
        access: 'secret_key',
        scope: 'push:write',
        rate_class: 'push',
        body: { max_bytes: messageMaxBytes(field_limits) },
      },
      schema: {
        operationId: 'sendPushMessage',
        summary: 'Send a push notification to devices, now or at a scheduled time',
        description:
          'The message is sent after the response. Repeating the request with the same `Idempotency-Key` returns the first response and sends nothing again.',
        tags: ['Push'],
        'x-open-point': 'OP-18, OP-33, OP-37, OP-88, OP-89, OP-90, OP-91, OP-93, OP-94, OP-102',
        headers: schemas.headers,
        body: schemas.request,
        response: responses(schemas.accepted, ACCEPTED),
      },
      validatorCompiler: exceptHeaders(validators),
    },
    async ({ key: { org_id, mode }, headers, body }, reply) => {
      const key = readIdempotencyKey(headers['idempotency-key'])
      const known = knownMembers(body)
      const { answer, is_replay } = await messages.create({ org_id, mode }, key, known)
      if (is_replay) void reply.header('idempotency-replayed', 'true')
      return envelope(ACCEPTED, answer)
    },
  )
}

/**
 * Skips the validation of headers: Fastify lowercases their names, while errors name `Idempotency-Key`.
 * `readIdempotencyKey` validates it instead.
 */
const exceptHeaders =
  ({ compiler }: Pick<Validators, 'compiler'>): FastifySchemaCompiler<TSchema> =>
  (route) =>
    route.httpPart === 'headers' ? (value: unknown) => ({ value }) : compiler(route)
