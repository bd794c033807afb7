/**
 * Serves a single-page application: its assets, which never change under their names, and for every
 * other path below the prefix the document that loads them. Its policy blocks scripts of other
 * origins (Content Security Policy, level 3).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic, { type SendOptions } from '@fastify/static'
import type { FastifyError, FastifyReply } from 'fastify'
import type { App } from './app.ts'
import { AppError, invalidRequest, notFound } from './errors.ts'

/** @param framers origins of the pages that may frame the document */
const policyFor = (framers: readonly string[]): string =>
  [...POLICY, `frame-ancestors ${framers.length > 0 ? framers.join(' ') : "'none'"}`].join('; ')

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
  "require-trusted-types-for 'script'",
  // Addresses of scripts are only those of the service worker.
  'trusted-types vigil-worker',
]
const YEAR_SECONDS = 31_536_000
const DOCUMENT = 'index.html'
const FILES: ReadonlySet<string> = new Set(['theme.js', 'worker.js', 'icon.svg', 'app.webmanifest'])
/** Assets have no subfolders; any other path below `assets/` is not found. */
const ASSET = /^assets\/[\w-][\w.-]*$/

/**
 * @param options.prefix without a trailing slash; files in `assets/` below it are immutable
 * @param options.framersOf origins with pages that may frame the document at a path below the prefix; by default none
 */
export async function servePages(
  app: App,
  {
    prefix,
    folder,
    framersOf,
  }: {
    prefix: string
    folder: string
    framersOf?: (path: string) => Promise<readonly string[] | undefined>
  },
): Promise<void> {
  // The build creates the pages; tests and tools that need none run without them.
  if (!existsSync(join(folder, DOCUMENT))) return
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true })
  const options = {
    config: { access: 'public' } as const,
    schema: { hide: true },
    errorHandler: refuse,
  }

  app.get(prefix, options, (_request, reply) => sendDocument(reply))
  app.get<{ Params: { '*': string } }>(`${prefix}/*`, options, async (request, reply) => {
    const path = request.params['*']
    if (path.startsWith('api/')) throw notFound()
    if (path.startsWith('assets/')) {
      if (!ASSET.test(path)) throw notFound()
      return send(reply, path, { maxAge: YEAR_SECONDS * 1000, immutable: true })
    }
    if (FILES.has(path)) return send(reply, path, { cacheControl: false })
    return sendDocument(reply, await framersOf?.(path))
  })
}

const PAGE_HEADERS = {
  'content-security-policy': policyFor([]),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'x-frame-options': 'DENY',
}

/** The older header cannot name origins. Pages that require isolation frame only documents that allow it. */
const framedHeaders = (framers: readonly string[]) => {
  const { 'x-frame-options': _older, ...headers } = PAGE_HEADERS
  return {
    ...headers,
    'content-security-policy': policyFor(framers),
    'cross-origin-resource-policy': 'cross-origin',
  }
}

const sendDocument = (reply: FastifyReply, framers: readonly string[] = []): FastifyReply =>
  send(
    reply,
    DOCUMENT,
    { cacheControl: false },
    framers.length > 0 ? framedHeaders(framers) : PAGE_HEADERS,
  )

const send = (
  reply: FastifyReply,
  path: string,
  options: SendOptions,
  headers: Record<string, string> = PAGE_HEADERS,
): FastifyReply =>
  // No byte ranges: parts of the compressed variants cannot be combined with parts of the file.
  reply.headers(headers).sendFile(path, { ...options, acceptRanges: false })

/** A failed precondition, for example, is a fault of the request. */
function refuse(error: FastifyError): never {
  const isOurs = error instanceof AppError || (error.statusCode ?? 500) >= 500
  throw isOurs ? error : invalidRequest('request', 'The file cannot be sent as requested')
}
