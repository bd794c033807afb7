/**
 * CORS (Fetch standard, "CORS protocol") for routes with `cors` in their config. Browsers call them
 * with a public key, which is not secret, and without cookies, so any origin is allowed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './app.ts'
import { envelope } from './envelope.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Allows scripts of any origin to call this route. */
    cors?: boolean
  }
}

/** The maximum for which Chrome caches a preflight. */
const MAX_AGE_SECONDS = 7200

/** Runs before any hook that can refuse the request, so that a script can read refusals too. */
export function allowOrigins(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.cors === true) markReadable(reply)
    done()
  })
}

/** Answers the preflight of a path whose POST has `cors`. */
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
