/**
 * The pages of a web application that finds its way in the browser: its files, which never change
 * under their names, and for every other path below the prefix the document that loads them. Nothing
 * from elsewhere may run in them (Content Security Policy, level 3).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic, { type SendOptions } from '@fastify/static'
import type { FastifyError, FastifyReply } from 'fastify'
import type { App } from './app.ts'
import { AppError, invalidRequest, notFound } from './errors.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')
const YEAR_SECONDS = 31_536_000
const DOCUMENT = 'index.html'
/** They lie side by side; whatever else is asked for below `assets/` is none of them. */
const ASSET = /^assets\/[\w-][\w.-]*$/

/** @param options.prefix without a slash at the end; `assets/` below it holds what never changes */
export async function servePages(
  app: App,
  { prefix, folder }: { prefix: string; folder: string },
): Promise<void> {
  // It is compiled with the program; tests and tools that need no pages run without.
  if (!existsSync(join(folder, DOCUMENT))) return
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true })
  const options = {
    config: { access: 'public' } as const,
    schema: { hide: true },
    errorHandler: refuse,
  }

  app.route({
    ...options,
    method: METHODS,
    url: prefix,
    handler: (_request, reply) => sendDocument(reply),
  })
  app.route<{ Params: { '*': string } }>({
    ...options,
    method: METHODS,
    url: `${prefix}/*`,
    handler: (request, reply) => {
      const path = request.params['*']
      if (path.startsWith('api/')) throw notFound()
      if (path.startsWith('assets/')) {
        if (!ASSET.test(path)) throw notFound()
        return send(reply, path, { maxAge: YEAR_SECONDS * 1000, immutable: true })
      }
      return path === 'theme.js' || path === 'icon.svg'
        ? send(reply, path, { cacheControl: false })
        : sendDocument(reply)
    },
  })
}

const METHODS = ['GET', 'HEAD']

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'x-frame-options': 'DENY',
}

const sendDocument = (reply: FastifyReply): FastifyReply =>
  send(reply, DOCUMENT, { cacheControl: false })

const send = (reply: FastifyReply, path: string, options: SendOptions): FastifyReply =>
  // In whole: what is left of a file is asked for again, and its parts are not those of its variants.
  reply.headers(PAGE_HEADERS).sendFile(path, { ...options, acceptRanges: false })

/** A condition that does not hold, for one, is a fault of the request. */
function refuse(error: FastifyError): never {
  const isOurs = error instanceof AppError || (error.statusCode ?? 500) >= 500
  throw isOurs ? error : invalidRequest('request', 'The file cannot be sent as it was asked for')
}
