/** Specification, "Push": sending. */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { keyOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { createKnownMembers } from '../../../platform/http/known-members.ts'
import type { Validators } from '../../../platform/http/validation.ts'
import { readIdempotencyKey } from './idempotency.ts'
import { type MessageLimits, messageSchemas } from './schema.ts'
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
      config: { access: 'secret_key', rate_class: 'push' },
      schema: {
        operationId: 'sendPushMessage',
        summary: 'Send a notification to devices, now or at a time',
        description:
          'It is sent after the answer. The same request under the same `Idempotency-Key` may be sent again and again: it has one effect and one answer.',
        tags: ['Push'],
        'x-open-point': 'OP-18, OP-33, OP-37, OP-88, OP-89, OP-90, OP-91, OP-93, OP-94, OP-102',
        headers: schemas.headers,
        body: schemas.request,
        response: responses(schemas.accepted, ACCEPTED),
      },
      validatorCompiler: exceptHeaders(validators),
    },
    async (request, reply) => {
      const { org_id, mode } = keyOf(request)
      const key = readIdempotencyKey(request.headers['idempotency-key'])
      const body = knownMembers(request.body)
      const { answer, is_replay } = await messages.create({ org_id, mode }, key, body)
      if (is_replay) void reply.header('idempotency-replayed', 'true')
      return envelope(ACCEPTED, answer)
    },
  )
}

/** The framework knows headers by small letters only; the key is read, and named, by its own reader. */
const exceptHeaders =
  ({ compiler }: Pick<Validators, 'compiler'>): FastifySchemaCompiler<TSchema> =>
  (route) =>
    route.httpPart === 'headers' ? (value: unknown) => ({ value }) : compiler(route)
