/**
 * The HTTP server: one Fastify instance with the envelope around every answer, strict JSON bodies,
 * validation, access, rate limits and metrics, in the order in which a request meets them.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyError, type FastifyReply, LogController } from 'fastify'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Authenticators, guardAccess, type RateClass } from './access.ts'
import type { App, SchemaTypes } from './app.ts'
import { allowOrigins } from './cors.ts'
import { AppError, invalidRequest, notFound, serverError } from './errors.ts'
import type { RateLimits } from './rate-limit.ts'
import { acceptBodies, tooLarge } from './request-body.ts'
import { IDENTIFIER_MAX_CHARS } from './schemas.ts'
import type { Validators } from './validation.ts'

export type ServerOptions = {
  log: Log
  metrics: Metrics
  validators: Validators
  authenticators: Authenticators
  limits: RateLimits<RateClass>
  trusted_proxies: string[]
  body_max_bytes: number
  json_max_depth: number
}

const JSON_ANSWER = 'application/json; charset=utf-8'
const REQUEST_TIMEOUT_MS = 30_000
/** Node takes the longer of the two for the whole request; also for one that never begins. */
const HEADERS_TIMEOUT_MS = 30_000
const KEEP_ALIVE_TIMEOUT_MS = 72_000
const UNUSABLE_PATH = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']

export function createServer(options: ServerOptions): App {
  const app = Fastify({
    loggerInstance: options.log,
    // A line per request costs a fifth of the request; the metrics count them, and faults are logged.
    logController: new LogController({ disableRequestLogging: true }),
    // Nor does a request need a logger of its own to name it in lines that are not written.
    childLoggerFactory: (logger) => logger,
    trustProxy: options.trusted_proxies.length > 0 ? options.trusted_proxies : false,
    bodyLimit: options.body_max_bytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // In UTF-16 units: twice the longest identifier that others give to their records.
    routerOptions: { maxParamLength: 2 * IDENTIFIER_MAX_CHARS },
    // Missing, it is refused in the envelope, by a hook below.
    http: { requireHostHeader: false, headersTimeout: HEADERS_TIMEOUT_MS },
    // A path that cannot be decoded, or is too long, names nothing that exists (OP-38).
    frameworkErrors: (error, _request, reply) => {
      const known = UNUSABLE_PATH.includes(error.code)
        ? notFound()
        : recognise(error, options.body_max_bytes)
      void answerError(reply, known ?? serverError())
    },
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<SchemaTypes>()

  app.setValidatorCompiler(options.validators.compiler)
  app.setErrorHandler((error, request, reply) => {
    const known = recognise(error as FastifyError, request.routeOptions.bodyLimit)
    if (known) return answerError(reply, known)
    request.log.error(
      { err: error, method: request.method, url: request.routeOptions.url },
      'request failed',
    )
    return answerError(reply, serverError())
  })
  app.setNotFoundHandler((_request, reply) => answerError(reply, notFound()))

  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    const isNameless = request.headers.host === undefined && request.raw.httpVersion !== '1.0'
    done(isNameless ? invalidRequest('Host', 'The Host header is missing') : undefined)
  })
  app.server.on('checkExpectation', refuseExpectation)
  observe(app, options.metrics)
  allowOrigins(app)
  guardAccess(app, options.authenticators, options.limits)
  acceptBodies(app, options.json_max_depth)
  return app
}

function observe(app: App, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    metrics.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
}

/** Faults that the framework reports in its own words, in ours. */
function recognise(error: FastifyError, bodyMaxBytes: number): AppError | undefined {
  if (error instanceof AppError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return tooLarge(bodyMaxBytes)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalidRequest(
        'body',
        'The request body is shorter or longer than Content-Length says',
      )
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return invalidRequest('Content-Type', 'Content-Type must be application/json')
    case 'FST_ERR_CTP_EMPTY_TYPE':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return invalidRequest('body', 'The request body is empty')
    default:
      // A client that leaves in the middle of its body, for one.
      return error.statusCode === 400
        ? invalidRequest('request', 'The request could not be read')
        : undefined
  }
}

async function answerError(reply: FastifyReply, error: AppError): Promise<FastifyReply> {
  const retryAfter = error.body.content?.['retry_after']
  if (typeof retryAfter === 'number') void reply.header('retry-after', String(retryAfter))
  return await reply.code(error.status).send(error.body)
}

/** Node would answer 417 to anything but `100-continue`. */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { status, body } = invalidRequest('Expect', 'Expect must be 100-continue')
  response.writeHead(status, { 'content-type': JSON_ANSWER, connection: 'close' })
  response.end(JSON.stringify(body))
}

/** What is not HTTP at all never reaches a route; it gets the same envelope. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { body } = invalidRequest('request', 'The request is not valid HTTP or too large')
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${JSON_ANSWER}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  )
}
