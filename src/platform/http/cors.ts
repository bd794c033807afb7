/**
 * Answers to scripts of other origins (Fetch standard, "CORS protocol"), for routes that say `cors` in
 * their config: browsers send to them with a public key, which is no secret and comes with no cookies.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './app.ts'
import { envelope } from './envelope.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scripts of any origin may call this route. */
    cors?: boolean
  }
}

/** The longest that Chrome remembers an answer. */
const MAX_AGE_SECONDS = 7200

/** Before anything can refuse the request, so that a script can read refusals too. */
export function allowOrigins(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.cors === true) markReadable(reply)
    done()
  })
}

/** The preflight of a path whose POST says `cors`. */
export function answerPreflight(app: App, path: string): void {
  app.options(
    path,
    { config: { access: 'public', cors: true }, schema: { hide: true } },
    (_request: FastifyRequest, reply: FastifyReply) => {
      void reply
        .header('access-control-allow-methods', 'POST, OPTIONS')
        .header('access-control-allow-headers', 'content-type, x-api-key, content-encoding')
        .header('access-control-max-age', String(MAX_AGE_SECONDS))
      return reply.send(envelope('Allowed', {}))
    },
  )
}

function markReadable(reply: FastifyReply): void {
  void reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'retry-after')
}
