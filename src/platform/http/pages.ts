/**
 * The pages of a web application that finds its way in the browser: its files, which never change
 * under their names, and for every other path below the prefix the document that loads them. Nothing
 * from elsewhere may run in them (Content Security Policy, level 3).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply } from 'fastify'
import type { App } from './app.ts'
import { notFound } from './errors.ts'

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

/** @param options.prefix without a slash at the end; `assets/` below it holds what never changes */
export async function servePages(
  app: App,
  { prefix, folder }: { prefix: string; folder: string },
): Promise<void> {
  // It is compiled with the program; tests and tools that need no pages run without.
  if (!existsSync(join(folder, DOCUMENT))) return
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true })
  const config = { access: 'public' } as const
  const schema = { hide: true }

  app.get(prefix, { config, schema }, (_request, reply) => sendDocument(reply))
  app.get<{ Params: { '*': string } }>(`${prefix}/*`, { config, schema }, (request, reply) => {
    const path = request.params['*']
    if (path.startsWith('api/')) throw notFound()
    if (path.startsWith('assets/')) {
      return reply
        .headers(PAGE_HEADERS)
        .sendFile(path, { maxAge: YEAR_SECONDS * 1000, immutable: true, dotfiles: 'ignore' })
    }
    return path === 'theme.js' || path === 'icon.svg'
      ? reply.headers(PAGE_HEADERS).sendFile(path, { cacheControl: false })
      : sendDocument(reply)
  })
}

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'x-frame-options': 'DENY',
}

const sendDocument = (reply: FastifyReply): FastifyReply =>
  reply.headers(PAGE_HEADERS).sendFile(DOCUMENT, { cacheControl: false })
