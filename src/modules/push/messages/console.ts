/** Console routes for push messages: members can read them, owners and admins can send and change them. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { cursorQuery, readCursorQuery } from '../../../platform/http/cursor-paging.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { createKnownMembers } from '../../../platform/http/known-members.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { MESSAGE_STATUSES, type MessageStatus } from '../tables.ts'
import { readIdempotencyKey } from './idempotency.ts'
import { type Changed, type MessageOperations, recipientPlaceOf } from './operations.ts'
import { type MessageDetails, SHOWN_STATUSES } from './reading/schema.ts'
import { type MessageLimits, messageMaxBytes, messageSchemas } from './schema.ts'
import type { Messages } from './service.ts'

export type PushMessageConsoleDependencies = {
  messages: Messages
  operations: MessageOperations
  field_limits: MessageLimits
}

const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const RECIPIENTS_MAX = 1000

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const oneId = Type.Object({ id: Type.String() })
const listQuery = Type.Object({
  application_id: Type.String(),
  /** Id of the last message on the previous page. */
  before: Type.Optional(Type.String({ format: 'uuid' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})
const historyQuery = Type.Object({
  ...cursorQuery,
  status: Type.Optional(choice([...MESSAGE_STATUSES, 'unfinished', 'with_failures'])),
})
const recipientQuery = Type.Object({
  status: Type.Optional(choice(SHOWN_STATUSES)),
  after: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: RECIPIENTS_MAX })),
})
const scheduleBody = Type.Object({ send_at: Type.String({ format: 'date-time' }) })

export function pushMessageRoutes(app: App, deps: PushMessageConsoleDependencies): void {
  readingRoutes(app, deps)
  sendingRoute(app, deps)
  changingRoutes(app, deps)
}

function readingRoutes(app: App, { operations }: PushMessageConsoleDependencies): void {
  app.get(
    '/console/api/push/messages',
    { config: MEMBER, schema: { querystring: listQuery } },
    async ({ member, query: { limit = LISTED_DEFAULT, ...query } }) =>
      envelope('Push messages', await operations.list(member.org_id, { ...query, limit })),
  )

  app.get(
    '/console/api/push/applications/:id/messages',
    { config: MEMBER, schema: { params: oneId, querystring: historyQuery } },
    async ({ member, params, query: { status, ...walk } }) => {
      const query = { ...readCursorQuery(walk), statuses: status && statusesOf(status) }
      const page = await operations.listPage(member.org_id, params.id, query)
      return envelope('Push messages', found(page))
    },
  )

  app.get(
    '/console/api/push/messages/:id',
    { config: MEMBER, schema: { params: oneId } },
    async ({ member, params }) =>
      envelope('Push message', found(await operations.find(member.org_id, params.id))),
  )

  app.get(
    '/console/api/push/messages/:id/recipients',
    { config: MEMBER, schema: { params: oneId, querystring: recipientQuery } },
    async ({ member, params, query: { status, after: cursor, limit = LISTED_DEFAULT } }) => {
      const after = cursor === undefined ? undefined : recipientPlaceOf(cursor)
      if (cursor !== undefined && !after) {
        throw invalidRequest('after', 'after is not the `next` value of a previous page')
      }
      const query = { status, after, limit }
      const page = await operations.recipients(member.org_id, params.id, query)
      return envelope('Recipients', found(page))
    },
  )
}

/** Expands the filters that stand for several statuses. */
function statusesOf(filter: MessageStatus | 'unfinished' | 'with_failures'): MessageStatus[] {
  if (filter === 'unfinished') return ['scheduled', 'queued', 'sending']
  return filter === 'with_failures' ? ['partially_failed', 'failed'] : [filter]
}

function sendingRoute(app: App, deps: PushMessageConsoleDependencies): void {
  const { messages, field_limits } = deps
  const schemas = messageSchemas(field_limits)
  const knownMembers = createKnownMembers(schemas.request)

  const config = { ...ADMIN, body: { max_bytes: messageMaxBytes(field_limits) } }
  app.post(
    '/console/api/push/messages',
    { config, schema: { body: schemas.consoleRequest } },
    async ({ member: { org_id }, headers, body }, reply) => {
      const key = readIdempotencyKey(headers['idempotency-key'])
      const { answer, is_replay } = await messages.create({ org_id }, key, knownMembers(body))
      if (is_replay) void reply.header('idempotency-replayed', 'true')
      return envelope('Message accepted', answer)
    },
  )
}

function changingRoutes(app: App, { operations }: PushMessageConsoleDependencies): void {
  app.post(
    '/console/api/push/messages/:id/cancel',
    { config: ADMIN, schema: { params: oneId } },
    async ({ member, params }) => {
      const result = await operations.cancel(member.org_id, params.id)
      return envelope('Message canceled', changed(result, 'id names a message that has ended'))
    },
  )

  app.post(
    '/console/api/push/messages/:id/schedule',
    { config: ADMIN, schema: { params: oneId, body: scheduleBody } },
    async ({ member, params, body }) => {
      const result = await operations.reschedule(member.org_id, params.id, body.send_at)
      return envelope('Message scheduled', changed(result, 'id names a message that has started'))
    },
  )
}

function changed(result: Changed, tooLate: string): MessageDetails {
  if ('message' in result) return result.message
  if (result.refused === 'not_found') throw notFound()
  throw invalidRequest('id', tooLate)
}
