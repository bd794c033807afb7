/**
 * Reads request bodies as strict JSON within the limits of their route and of the process. A route
 * may declare in `config.body` that it needs more bytes than others, or also accepts gzip,
 * text/plain or lenient JSON, for senders that are limited to these.
 */
import type { IncomingMessage } from 'node:http'
import { gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import type { App } from './app.ts'
import { type ByteLease, createByteBudget } from './byte-budget.ts'
import { createCallerTurns } from './caller-turns.ts'
import { networkOf } from './client-ip.ts'
import { type AppError, invalidRequest, tooManyRequests } from './errors.ts'
import { type JsonLimits, parseJsonBody, parseLenientJson } from './json-body.ts'

export type BodyRules = {
  /**
   * Limit before and after decompression. The default is small, so that a new route is safe, and only
   * lenient bodies may exceed the limit of the server.
   */
  max_bytes?: number
  accepts_gzip?: boolean
  /** JSON sent as text/plain or without a type, as `navigator.sendBeacon` does. */
  accepts_text?: boolean
  /** Media types of bodies that the route decodes itself. */
  binary_types?: readonly string[]
  /** Content encoding of such bodies that the route decompresses itself. */
  own_encoding?: string
  /** Name of a list; its faulty elements are replaced by their errors; see `bulk.ts`. */
  list?: string
  /**
   * One bad element must not fail the others: duplicate keys, deep nesting and unstorable characters
   * are not rejected here.
   */
  is_lenient?: boolean
  /** Maximum of commas and opening brackets, where a full body has more than others. */
  values_max?: number
  /**
   * Each begun piece of this many bytes counts as a request against the rate limit, before the body is
   * parsed. The first piece was counted before the body was read.
   */
  bytes_per_request?: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: BodyRules
  }
  interface FastifyRequest {
    /** The body after decompression, on routes with lenient bodies. */
    rawBody: Buffer | undefined
    bodyLease: ByteLease | undefined
  }
}

export type BodyOptions = {
  json_max_depth: number
  body_max_bytes: number
  /** Limit of routes that declare none. */
  body_default_bytes: number
  /** Identifies the sender of an authenticated request; undefined without a credential. */
  senderOf: (request: FastifyRequest) => string | undefined
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const TEXT_TYPE = /^(text\/plain\s*(;.*)?)?$/i
const STRICT: BodyRules = {}

/** Limit for the bodies of authenticated requests that are received and processed. */
const BODIES_MAX_BYTES = 67_108_864
/** The same without a credential: a separate limit, so that strangers cannot use up the other one. */
const STRANGERS_MAX_BYTES = 16_777_216
const RETRY_AFTER_SECONDS = 1
/** Real bodies take 14 bytes or more for each value; the values of a small one are parsed quickly. */
const BYTES_PER_VALUE = 16
const VALUES_MIN = 4096
const VALUES_MAX = 262_144
/** Each chunk interrupts the event loop; those of the default size take twice as long in all. */
const GUNZIP_CHUNK_BYTES = 65_536
const LENGTH_FAULT = 'The request body is shorter or longer than Content-Length says'

/** Must be called after the hooks that authenticate requests were added. */
export function acceptBodies(app: App, options: BodyOptions): void {
  const { body_max_bytes, body_default_bytes, json_max_depth, senderOf } = options
  const budget = createByteBudget(BODIES_MAX_BYTES)
  const strangers = createByteBudget(STRANGERS_MAX_BYTES)
  const inTurn = createCallerTurns()
  app.decorateRequest('rawBody', undefined)
  app.decorateRequest('bodyLease', undefined)
  app.addHook('onRoute', (route) => {
    const { max_bytes = body_default_bytes, is_lenient } = route.config?.body ?? {}
    route.bodyLimit = is_lenient === true ? max_bytes : Math.min(max_bytes, body_max_bytes)
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'GET') {
      const sender = senderOf(request)
      const lease =
        sender === undefined ? strangers.lease(networkOf(request.ip)) : budget.lease(sender)
      request.bodyLease = lease
      // `close` also fires when the sender disconnects, for which Fastify has no hook.
      reply.raw.once('close', lease.release)
    }
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    if (request.is404) return undefined
    const { bodyLimit, config, schema } = request.routeOptions
    const rules = config.body ?? STRICT
    const declared = declaredBytes(request)
    const sender = senderOf(request)
    // The length that a stranger only announces reserves nothing.
    if (sender !== undefined) reserve(request, declared ?? 0)
    const body = await collect(request, stream, declared)
    // Clients set a content type even when they send no body.
    if (body.length === 0 && schema?.body === undefined) return undefined
    const isBinary = rules.binary_types?.includes(mediaTypeOf(request)) === true
    if (!isBinary) refuseType(request, rules)
    const isCounted = rules.bytes_per_request !== undefined
    const work = async () => await unpack(request, body, rules)
    const bytes = isCounted ? await inTurn(sender, work) : await work()
    if (isBinary) {
      request.rawBody = bytes
      return bytes
    }
    const limits: JsonLimits = {
      depth_max: json_max_depth,
      values_max: valuesMax(bodyLimit, rules),
    }
    if (rules.is_lenient !== true) return parseJsonBody(bytes, limits, rules.list)
    request.rawBody = bytes
    return await parseLenientJson(bytes, limits)
  })
}

function valuesMax(bodyLimit: number, { values_max = VALUES_MAX }: BodyRules): number {
  const values = Math.floor(bodyLimit / BYTES_PER_VALUE)
  return Math.min(values_max, Math.max(VALUES_MIN, values))
}

/** @throws AppError 400 when the body exceeds the limit of the route */
function declaredBytes({ headers, routeOptions }: FastifyRequest): number | undefined {
  const { 'content-length': header } = headers
  if (header === undefined) return undefined
  const bytes = Number(header)
  if (bytes > routeOptions.bodyLimit) throw tooLarge(routeOptions.bodyLimit)
  return bytes
}

/** @throws AppError 429 */
function reserve({ bodyLease }: FastifyRequest, bytes: number): void {
  if (bodyLease?.growTo(bytes) === false) throw tooManyRequests(RETRY_AFTER_SECONDS)
}

/** Like Fastify's own parser, and reserves the bytes as they arrive. */
async function collect(
  request: FastifyRequest,
  stream: IncomingMessage,
  declared: number | undefined,
): Promise<Buffer> {
  const maxBytes = request.routeOptions.bodyLimit
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    const settle = (act: () => void) => {
      stream.off('data', onData).off('end', onEnd).off('error', onError)
      act()
    }
    const onData = (chunk: Buffer) => {
      received += chunk.length
      chunks.push(chunk)
      if (received > maxBytes) settle(() => reject(tooLarge(maxBytes)))
      else if (request.bodyLease?.growTo(received) === false) {
        settle(() => reject(tooManyRequests(RETRY_AFTER_SECONDS)))
      }
    }
    const onEnd = () => {
      const isWhole = declared === undefined || declared === received
      settle(() =>
        isWhole
          ? resolve(Buffer.concat(chunks, received))
          : reject(invalidRequest('body', LENGTH_FAULT)),
      )
    }
    const onError = () =>
      settle(() => reject(invalidRequest('request', 'The request could not be read')))
    stream.on('data', onData).on('end', onEnd).on('error', onError)
  })
}

function refuseType(request: FastifyRequest, rules: BodyRules): void {
  const type = request.headers['content-type'] ?? ''
  if (JSON_TYPE.test(type) || (rules.accepts_text === true && TEXT_TYPE.test(type))) return
  const allowed =
    rules.accepts_text === true ? 'application/json or text/plain' : 'application/json'
  throw invalidRequest('Content-Type', `Content-Type must be ${allowed}`)
}

/** Without its parameters, in lower case. */
const mediaTypeOf = ({ headers }: FastifyRequest): string =>
  (headers['content-type'] ?? '').split(';', 1).join('').trim().toLowerCase()

/**
 * Counts the compressed bytes first: a sender that has exceeded its limit costs no decompression.
 * @returns the body after decompression
 */
async function unpack(request: FastifyRequest, body: Buffer, rules: BodyRules): Promise<Buffer> {
  const isPacked = isGzip(request, rules)
  const counted = await countBytes(request, body.length, rules, 1)
  if (!isPacked) return body
  const bytes = await gunzipped(body, request.routeOptions.bodyLimit)
  reserve(request, bytes.length)
  await countBytes(request, bytes.length, rules, counted)
  return bytes
}

/**
 * @param before the requests that were counted before
 * @returns those that have been counted in all
 */
async function countBytes(
  request: FastifyRequest,
  bytes: number,
  { bytes_per_request }: BodyRules,
  before: number,
): Promise<number> {
  if (bytes_per_request === undefined) return before
  const requests = Math.max(before, Math.ceil(bytes / bytes_per_request))
  // Also without more to count, because bodies of the same sender may have exceeded its limit.
  await request.count(requests - before)
  return requests
}

function isGzip(request: FastifyRequest, rules: BodyRules): boolean {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === rules.own_encoding) return false
  if (encoding === 'gzip' && rules.accepts_gzip === true) return true
  throw invalidRequest('Content-Encoding', 'Content-Encoding is not supported')
}

function gunzipped(body: Buffer, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { maxOutputLength: maxBytes, chunkSize: GUNZIP_CHUNK_BYTES }
    gunzip(body, options, (error: NodeJS.ErrnoException | null, bytes) => {
      if (error === null) resolve(bytes)
      else if (error.code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(maxBytes))
      else reject(invalidRequest('body', 'The request body is not valid gzip'))
    })
  })
}

const tooLarge = (maxBytes: number): AppError =>
  invalidRequest('body', `The request body is larger than ${maxBytes} bytes`)
