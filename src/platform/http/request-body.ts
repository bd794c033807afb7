/**
 * How bodies are taken in: JSON, strictly. A route may declare in `config.body` that it takes more, for
 * senders that cannot do better: gzip, text/plain, nothing at all, or JSON with small faults.
 */
import { gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import type { App } from './app.ts'
import { type AppError, invalidRequest, tooManyRequests } from './errors.ts'
import { parseJsonBody, parseLenientJson } from './json-body.ts'

export type BodyRules = {
  /** Before and after decompression. */
  max_bytes?: number
  accepts_gzip?: boolean
  /** JSON under the name of text/plain, or under none: what `navigator.sendBeacon` sends. */
  accepts_text?: boolean
  /** An empty body is none, whatever its type. */
  is_optional?: boolean
  /** One bad element must not spoil the rest: duplicate keys, depth and odd characters are let through. */
  is_lenient?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: BodyRules
  }
  interface FastifyRequest {
    /** The bytes of the body after decompression, where the route has rules for bodies. */
    rawBody: Buffer | undefined
  }
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const TEXT_TYPE = /^(text\/plain\s*(;.*)?)?$/i
const STRICT: BodyRules = {}

/**
 * Bytes of all bodies under way on routes with rules: what is made of one takes five times as much,
 * and those who had to wait for the service send all they have at the same moment.
 */
const UNDER_WAY_MAX_BYTES = 67_108_864
const RETRY_AFTER_SECONDS = 1

export function acceptBodies(app: App, depthMax: number): void {
  app.decorateRequest('rawBody', undefined)
  app.addHook('onRoute', (route) => {
    const maxBytes = route.config?.body?.max_bytes
    if (maxBytes !== undefined) route.bodyLimit = maxBytes
  })
  let bytesUnderWay = 0
  app.addHook('onRequest', (request, reply, done) => {
    // Also when the sender goes away, for which there is no other hook.
    if (request.routeOptions.config.body !== undefined) {
      reply.raw.once('close', () => {
        bytesUnderWay -= request.rawBody?.length ?? 0
      })
    }
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const rules = request.routeOptions.config.body ?? STRICT
      if (rules.is_optional === true && body.length === 0) return undefined
      refuseType(request, rules)
      const bytes = await decompressed(request, body, rules)
      if (rules === STRICT) return parseJsonBody(bytes, depthMax)
      // Whoever has gone would not be counted out again.
      if (request.raw.socket.destroyed) throw invalidRequest('request', 'The sender has gone')
      if (bytesUnderWay > 0 && bytesUnderWay + bytes.length > UNDER_WAY_MAX_BYTES) {
        throw tooManyRequests(RETRY_AFTER_SECONDS)
      }
      bytesUnderWay += bytes.length
      request.rawBody = bytes
      return rules.is_lenient === true ? parseLenientJson(bytes) : parseJsonBody(bytes, depthMax)
    },
  )
}

function refuseType(request: FastifyRequest, rules: BodyRules): void {
  const type = request.headers['content-type'] ?? ''
  if (JSON_TYPE.test(type) || (rules.accepts_text === true && TEXT_TYPE.test(type))) return
  const allowed =
    rules.accepts_text === true ? 'application/json or text/plain' : 'application/json'
  throw invalidRequest('Content-Type', `Content-Type must be ${allowed}`)
}

async function decompressed(
  request: FastifyRequest,
  body: Buffer,
  rules: BodyRules,
): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity') return body
  if (encoding !== 'gzip' || rules.accepts_gzip !== true) {
    throw invalidRequest('Content-Encoding', 'Content-Encoding is not supported')
  }
  return await gunzipped(body, request.routeOptions.bodyLimit)
}

function gunzipped(body: Buffer, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(body, { maxOutputLength: maxBytes }, (error: NodeJS.ErrnoException | null, bytes) => {
      if (error === null) resolve(bytes)
      else if (error.code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(maxBytes))
      else reject(invalidRequest('body', 'The request body is not valid gzip'))
    })
  })
}

export const tooLarge = (maxBytes: number): AppError =>
  invalidRequest('body', `The request body is larger than ${maxBytes} bytes`)
