/**
 * The HTTP server: one Fastify instance with the envelope around every response, strict JSON
 * bodies, validation, access, rate limits and metrics.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fastJsonStringify from 'fast-json-stringify'
import Fastify, {
  type FastifyError,
  type FastifyReply,
  type FastifySerializerCompiler,
  LogController,
} from 'fastify'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { createRepeatedErrors } from '../repeated-errors.ts'
import type { Tracing } from '../tracing/index.ts'
import type { App, SchemaTypes } from './app.ts'
import { allowOrigins } from './cors.ts'
import { AppError, invalidRequest, notFound, serverError } from './errors.ts'
import { createHostRule } from './hosts.ts'
import { answerTo, quotaAnswer } from './outage.ts'
import { acceptBodies, type BodyOptions } from './request-body.ts'
import { IDENTIFIER_MAX_CHARS } from './schemas.ts'
import type { Validators } from './validation.ts'

export type ServerOptions = BodyOptions & {
  log: Log
  metrics: Pick<Metrics, 'observeRequest'>
  tracing?: Pick<Tracing, 'record'> | undefined
  validators: Validators
  /** Adds the authorization hooks; called before any route is registered. */
  guard: (app: App) => void
  trusted_proxies: string[]
  /** Host names with a dot that clients may use. */
  host_names: readonly string[]
}

const JSON_ANSWER = 'application/json; charset=utf-8'
const REQUEST_TIMEOUT_MS = 30_000
/** Node applies the longer of the two timeouts to the whole request, even one that never starts. */
const HEADERS_TIMEOUT_MS = 30_000
const KEEP_ALIVE_TIMEOUT_MS = 72_000
const NO_HOST = 'The Host header is missing'
const OTHER_HOST =
  'Host is not a known name of this service. If it is right, the operator adds it to VIGIL_ALLOWED_HOSTS'
const UNUSABLE_PATH = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']

export function createServer(options: ServerOptions): App {
  const app = Fastify({
    loggerInstance: options.log,
    // A log line per request costs a fifth of the request's time. Metrics count requests, and
    // failures are logged.
    logController: new LogController({ disableRequestLogging: true }),
    // A logger per request only adds a request id to lines, which are not written.
    childLoggerFactory: (logger) => logger,
    trustProxy: options.trusted_proxies.length > 0 ? options.trusted_proxies : false,
    bodyLimit: options.body_max_bytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    rewriteUrl: answerHead,
    return503OnClosing: false,
    // In UTF-16 units, of which a character has up to two.
    routerOptions: { maxParamLength: 2 * IDENTIFIER_MAX_CHARS },
    // A hook below refuses a missing Host header in the envelope.
    http: { requireHostHeader: false, headersTimeout: HEADERS_TIMEOUT_MS },
    // A path that cannot be decoded or is too long names no resource (OP-38).
    frameworkErrors: (error, _request, reply) => {
      const known = UNUSABLE_PATH.includes(error.code) ? notFound() : recognize(error)
      void answerError(reply, known ?? serverError())
    },
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<SchemaTypes>()

  app.setValidatorCompiler(options.validators.compiler)
  app.setSerializerCompiler(compileWhenUsed)
  const errors = createRepeatedErrors(options.log)
  app.setErrorHandler((error, request, reply) => {
    // An unknown path is not found, even if the content type is wrong, too.
    if (request.is404 && !(error instanceof AppError)) return answerError(reply, notFound())
    const known = recognize(error as FastifyError) ?? quotaAnswer(error)
    if (known) return answerError(reply, known)
    const { method, routeOptions } = request
    errors.log(error, { method, url: routeOptions.url }, 'request failed')
    return answerError(reply, answerTo(error))
  })
  app.setNotFoundHandler((_request, reply) => answerError(reply, notFound()))

  const isHostKnown = createHostRule(options.host_names)
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    const { host } = request.headers
    if (host !== undefined) done(isHostKnown(host) ? undefined : invalidRequest('Host', OTHER_HOST))
    else done(request.raw.httpVersion === '1.0' ? undefined : invalidRequest('Host', NO_HOST))
  })
  app.server.on('checkExpectation', refuseExpectation)
  observe(app, options.metrics)
  if (options.tracing) trace(app, options.tracing)
  allowOrigins(app)
  options.guard(app)
  acceptBodies(app, options)
  return app
}

/** Compiles the schema of a response when it is first sent: doing so for all would delay the start. */
const compileWhenUsed: FastifySerializerCompiler<fastJsonStringify.Schema> = ({ schema }) => {
  let serialize: ((value: unknown) => string) | undefined
  return (value: unknown) => {
    serialize ??= fastJsonStringify(schema)
    return serialize(value)
  }
}

/**
 * Answers HEAD like GET where monitors and browsers use it. Node.js already knows that the response
 * has no body, so it does not send what the handler of GET writes. Under /v1, HEAD is a 404.
 */
function answerHead(request: IncomingMessage): string {
  const { method, url = '/' } = request
  if (method === 'HEAD' && !/^\/(?:v1|console\/api)(?:\/|$)/.test(url)) request.method = 'GET'
  return url
}

function observe(app: App, metrics: ServerOptions['metrics']): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    metrics.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
}

/** Records one span per request when it has been answered. */
function trace(app: App, tracing: Pick<Tracing, 'record'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, headers } = request
    const route = routeOptions.url ?? 'unknown'
    const { traceparent } = headers
    tracing.record({
      name: `${method} ${route}`,
      kind: 'server',
      duration_ms: reply.elapsedTime,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': reply.statusCode,
      },
      is_error: reply.statusCode >= 500,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    })
    done()
  })
}

/** Maps the framework's client errors to the error catalog. */
function recognize(error: FastifyError): AppError | undefined {
  if (error instanceof AppError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return invalidRequest('Content-Type', 'Content-Type must be application/json')
    default:
      return error.statusCode === 400
        ? invalidRequest('request', 'The request could not be read')
        : undefined
  }
}

async function answerError(reply: FastifyReply, error: AppError): Promise<FastifyReply> {
  const { retry_after_seconds } = error
  if (retry_after_seconds !== undefined) void reply.header('retry-after', `${retry_after_seconds}`)
  if (error.status === 401) void reply.header('www-authenticate', `${error.scheme} realm="vigil"`)
  return await reply.code(error.status).send(error.body)
}

/** By default, Node answers 417 to any expectation other than `100-continue`. */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { status, body } = invalidRequest('Expect', 'Expect must be 100-continue')
  response.writeHead(status, { 'content-type': JSON_ANSWER, connection: 'close' })
  response.end(JSON.stringify(body))
}

/** Input that is not HTTP never reaches a route; it gets the same envelope. */
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
