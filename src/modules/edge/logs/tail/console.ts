/** The live tail of the console, as a stream of server-sent events. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../../platform/http/app.ts'
import { tooManyRequests } from '../../../../platform/http/errors.ts'
import { modeParameter, ownerOf } from '../../../access/index.ts'
import { parseFilters } from '../reading/query-parameters.ts'
import { type ReadingLimits, readingQueries } from '../reading/schema.ts'
import { EVENT_STREAM, eventStream } from './event-stream.ts'
import type { Subscription } from './subscription.ts'
import type { Tail } from './tail.ts'

/** Retry-After when the tail has the maximum number of viewers. */
const RETRY_SECONDS = 5
/** Time for streams to send their `end` event when the process stops. */
const END_EVENT_MS = 250

/** Time between two checks that a viewer may still watch: immediate, to a person. */
const CHECK_MS = 2000

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export type TailRouteDependencies = { tail: Tail; field_limits: ReadingLimits }

export function tailRoute(app: App, { tail, field_limits }: TailRouteDependencies): void {
  const { filters, q } = readingQueries(field_limits)
  const querystring = Type.Object({ ...modeParameter, ...filters, q: Type.Optional(q) })

  const responses = new Set<ServerResponse>()

  // Streams have no end: without this the server would wait for them when it closes.
  app.addHook('preClose', async () => {
    await tail.close()
    // A stream whose client has stopped reading does not end even then.
    const destroyAll = () => {
      for (const response of responses) response.destroy()
    }
    setTimeout(destroyAll, END_EVENT_MS).unref()
  })

  app.get(
    '/console/api/edge/tail',
    { config: MEMBER, schema: { querystring } },
    async (request, reply) => {
      const owner = ownerOf(request.member, request.query)
      const until = endOfToken(request.headers.authorization)
      const wanted = await tail.filtersOf(owner, parseFilters(request.query))
      const subscription = tail.watch(owner, wanted, until)
      if (!subscription) throw tooManyRequests(RETRY_SECONDS)
      // The session may end, or the user lose access, long before the token expires.
      const checks = setInterval(() => void endUnlessAdmitted(request, subscription), CHECK_MS)
      const leave = () => {
        clearInterval(checks)
        responses.delete(reply.raw)
        subscription.close()
      }
      responses.add(reply.raw)
      reply.raw.once('close', leave)
      // A client that disconnected before the listener was added emits no `close` any more.
      if (reply.raw.destroyed) leave()
      // Disables buffering of the stream in nginx and other proxies.
      return await reply
        .header('x-accel-buffering', 'no')
        .type(EVENT_STREAM)
        .send(Readable.from(eventStream(subscription), { objectMode: false }))
    },
  )
}

async function endUnlessAdmitted(request: FastifyRequest, subscription: Subscription) {
  // Without the database no one can be checked, and no entry can be read either.
  const isAdmitted = await request.isStillAdmitted().catch(() => true)
  if (!isAdmitted) subscription.close()
}

/** Expiry of the access token, which is verified already; the client reconnects with a new one. */
function endOfToken(authorization = ''): Date {
  const [, claims = ''] = authorization.split('.')
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { exp: number }
  return new Date(exp * 1000)
}
