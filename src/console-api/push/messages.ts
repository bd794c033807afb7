/** Messages of mobile push: members see what became of them, owners and admins send and stop them. */
import { Type } from 'typebox'
import { type Members, requireAdmin, requireMember } from '../../modules/accounts/index.ts'
import {
  type Changed,
  type MessageDetails,
  type MessageLimits,
  type MessageOperations,
  type Messages,
  messageSchemas,
  readIdempotencyKey,
  recipientPlaceOf,
  SHOWN_STATUSES,
} from '../../modules/push/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest, notFound } from '../../platform/http/errors.ts'
import { createKnownMembers } from '../../platform/http/known-members.ts'
import { choice } from '../../platform/http/schemas.ts'
import { MESSAGE_STATUSES, type MessageStatus } from '../../platform/postgres/tables/push.ts'
import { found } from '../found.ts'
import { walkOf, walkQuery } from '../walking.ts'

export type PushMessageConsoleDependencies = {
  accounts: Members
  messages: Messages
  operations: MessageOperations
  field_limits: MessageLimits
}

const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const RECIPIENTS_MAX = 1000

const config = { access: 'portal', rate_class: 'console' } as const
const oneMessage = Type.Object({ id: Type.String() })
const ofOrganization = Type.Object({ org_id: Type.String() })
const listQuery = Type.Object({
  org_id: Type.String(),
  application_id: Type.String(),
  /** Id of the last one on the page before. */
  before: Type.Optional(Type.String({ format: 'uuid' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})
const oneApplication = Type.Object({ id: Type.String() })
const historyQuery = Type.Object({
  org_id: Type.String(),
  ...walkQuery,
  status: Type.Optional(choice([...MESSAGE_STATUSES, 'unfinished', 'with_failures'])),
})
const recipientQuery = Type.Object({
  org_id: Type.String(),
  status: Type.Optional(choice(SHOWN_STATUSES)),
  after: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: RECIPIENTS_MAX })),
})
const scheduleBody = Type.Object({
  org_id: Type.String(),
  send_at: Type.String({ format: 'date-time' }),
})

export function pushMessageRoutes(app: App, deps: PushMessageConsoleDependencies): void {
  readingRoutes(app, deps)
  sendingRoute(app, deps)
  changingRoutes(app, deps)
}

function readingRoutes(app: App, { accounts, operations }: PushMessageConsoleDependencies): void {
  app.get(
    '/console/api/push/messages',
    { config, schema: { querystring: listQuery } },
    async (request) => {
      const { org_id, limit = LISTED_DEFAULT, ...query } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Push messages', await operations.list(org_id, { ...query, limit }))
    },
  )

  app.get(
    '/console/api/push/applications/:id/messages',
    { config, schema: { params: oneApplication, querystring: historyQuery } },
    async (request) => {
      const { org_id, status, ...walk } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const query = { ...walkOf(walk), statuses: status && statusesOf(status) }
      return envelope(
        'Push messages',
        found(await operations.walk(org_id, request.params.id, query)),
      )
    },
  )

  app.get(
    '/console/api/push/messages/:id',
    { config, schema: { params: oneMessage, querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Push message', found(await operations.find(org_id, request.params.id)))
    },
  )

  app.get(
    '/console/api/push/messages/:id/recipients',
    { config, schema: { params: oneMessage, querystring: recipientQuery } },
    async (request) => {
      const { org_id, status, after: given, limit = LISTED_DEFAULT } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const after = given === undefined ? undefined : recipientPlaceOf(given)
      if (given !== undefined && !after) {
        throw invalidRequest('after', 'after is not the next of an earlier page')
      }
      const query = { status, after, limit }
      const page = await operations.recipients(org_id, request.params.id, query)
      return envelope('Recipients', found(page))
    },
  )
}

/** What several states have in common can be asked for in one word. */
function statusesOf(asked: MessageStatus | 'unfinished' | 'with_failures'): MessageStatus[] {
  if (asked === 'unfinished') return ['scheduled', 'queued', 'sending']
  return asked === 'with_failures' ? ['partially_failed', 'failed'] : [asked]
}

function sendingRoute(app: App, deps: PushMessageConsoleDependencies): void {
  const { accounts, messages, field_limits } = deps
  const schemas = messageSchemas(field_limits)
  const knownMembers = createKnownMembers(schemas.request)

  app.post(
    '/console/api/push/messages',
    { config, schema: { body: schemas.consoleRequest } },
    async (request, reply) => {
      const { org_id, ...body } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const key = readIdempotencyKey(request.headers['idempotency-key'])
      const { answer, is_replay } = await messages.create({ org_id }, key, knownMembers(body))
      if (is_replay) void reply.header('idempotency-replayed', 'true')
      return envelope('Message accepted', answer)
    },
  )
}

function changingRoutes(app: App, { accounts, operations }: PushMessageConsoleDependencies): void {
  app.post(
    '/console/api/push/messages/:id/cancel',
    { config, schema: { params: oneMessage, body: ofOrganization } },
    async (request) => {
      const { org_id } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const cancelled = await operations.cancel(org_id, request.params.id)
      return envelope('Message cancelled', changed(cancelled, 'id is of a message that has ended'))
    },
  )

  app.post(
    '/console/api/push/messages/:id/schedule',
    { config, schema: { params: oneMessage, body: scheduleBody } },
    async (request) => {
      const { org_id, send_at } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const moved = await operations.reschedule(org_id, request.params.id, send_at)
      return envelope('Message scheduled', changed(moved, 'id is of a message that has begun'))
    },
  )
}

function changed(result: Changed, tooLate: string): MessageDetails {
  if ('message' in result) return result.message
  if (result.refused === 'not_found') throw notFound()
  throw invalidRequest('id', tooLate)
}
