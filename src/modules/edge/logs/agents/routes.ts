/**
 * Routes for agents with other formats of logs (OP-149). They are not part of /v1, and answer
 * as their protocols say.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { stringifyExact } from '../../../../platform/exact-json.ts'
import type { App } from '../../../../platform/http/app.ts'
import { envelope } from '../../../../platform/http/envelope.ts'
import { AppError } from '../../../../platform/http/errors.ts'
import type { Owner } from '../../../../platform/owner.ts'
import { createRepeatedErrors } from '../../../../platform/repeated-errors.ts'
import type { Payer } from '../../../billing/index.ts'
import { type Receipt, receiptContent } from '../../../intake/index.ts'
import type { IngestLimits } from '../ingest/schema.ts'
import type { LogIngest } from '../ingest/service.ts'
import { entryOf } from './entry.ts'
import { decodeLokiJson, decodeLokiProtobuf } from './loki.ts'
import { lokiError, lokiReceived } from './loki-response.ts'
import { decodeNdjson, decodeObjects } from './ndjson.ts'
import { decodeOtlpJson } from './otlp-json.ts'
import { decodeOtlpProtobuf } from './otlp-protobuf.ts'
import { type OtlpResponse, otlpError, otlpSuccess, PROTOBUF } from './otlp-response.ts'
import { decompressSnappy } from './snappy.ts'
import type { SentRecord } from './values.ts'

export type AgentRouteDependencies = { logs: LogIngest; field_limits: IngestLimits }

/** A resource is stored with each of its records, so what is stored can be larger than the body. */
const ROWS_PER_BODY = 4
/** The decoders validate the body. */
const ANY_BODY = { body: Type.Unknown() }
const acceptAny = () => (value: unknown) => ({ value })

/** Fluent Bit and Vector differ in the type of lines of JSON. */
const NDJSON_TYPES = [
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'text/plain',
]
const SNAPPY = 'snappy'

export function agentLogRoutes(app: App, { logs, field_limits }: AgentRouteDependencies): void {
  const { edge_batch_max_bytes: max_bytes } = field_limits
  const ingestEntries = async (owner: Payer, { entries, bytes, format }: AgentBatch) =>
    await logs.ingestEntries(owner, {
      list: format === 'ndjson' ? 'lines' : 'records',
      entries,
      bytes,
      format,
      dataText: stringifyExact,
      rows_max_bytes: ROWS_PER_BODY * max_bytes,
    })
  const ingest: IngestRecords = async (owner, { records, ...batch }) =>
    records.length === 0
      ? undefined
      : await ingestEntries(owner, { ...batch, entries: records.map(entryOf) })
  const body = { accepts_gzip: true, is_lenient: true, max_bytes }
  const known = createKnownError(app)
  otlpRoute(app, { body, ingest, known })
  lokiRoute(app, { body, ingest, known })
  ndjsonRoute(app, body, ingestEntries)
}

type AgentBatch = { entries: readonly unknown[]; bytes: Buffer; format: string }
type IngestRecords = (
  owner: Owner,
  batch: { records: SentRecord[]; bytes: Buffer; format: string },
) => Promise<Receipt | undefined>
type Body = { accepts_gzip: boolean; is_lenient: boolean; max_bytes: number }

const KEY = { access: 'secret_key', scope: 'logs:write', rate_class: 'ingest' } as const

type KnownError = (error: unknown, request: FastifyRequest) => AppError | undefined
type AgentRoute = { body: Body; ingest: IngestRecords; known: KnownError }

function otlpRoute(app: App, { body, ingest, known }: AgentRoute): void {
  app.post(
    '/otlp/v1/logs',
    {
      config: { ...KEY, body: { ...body, binary_types: [PROTOBUF] } },
      schema: ANY_BODY,
      validatorCompiler: acceptAny,
      errorHandler: (error, request, reply) => {
        void answer(reply, otlpError(isProtobuf(request), known(error, request)))
      },
    },
    async (request, reply) => {
      const { key, body: sent, rawBody: bytes = Buffer.alloc(0) } = request
      const records = Buffer.isBuffer(sent) ? decodeOtlpProtobuf(sent) : decodeOtlpJson(sent)
      const receipt = await ingest(key, { records, bytes, format: 'otlp' })
      return await answer(reply, otlpSuccess(isProtobuf(request), receipt))
    },
  )
}

function lokiRoute(app: App, { body, ingest, known }: AgentRoute): void {
  app.post(
    '/loki/api/v1/push',
    {
      config: {
        ...KEY,
        key_in_basic: true,
        body: { ...body, binary_types: [PROTOBUF], own_encoding: SNAPPY },
      },
      schema: ANY_BODY,
      validatorCompiler: acceptAny,
      errorHandler: (error, request, reply) => {
        void answer(reply, lokiError(known(error, request)))
      },
    },
    async (request, reply) => {
      const { key, body: sent, rawBody = Buffer.alloc(0) } = request
      const bytes = Buffer.isBuffer(sent) ? decompressSnappy(sent, body.max_bytes) : rawBody
      const records = Buffer.isBuffer(sent) ? decodeLokiProtobuf(bytes) : decodeLokiJson(sent)
      const receipt = await ingest(key, { records, bytes, format: 'loki' })
      return await answer(reply, lokiReceived(receipt))
    },
  )
}

function ndjsonRoute(
  app: App,
  body: Body,
  ingest: (owner: Payer, batch: AgentBatch) => Promise<Receipt>,
): void {
  app.post(
    '/ndjson/v1/logs',
    {
      config: { ...KEY, key_in_basic: true, body: { ...body, binary_types: NDJSON_TYPES } },
      schema: ANY_BODY,
      validatorCompiler: acceptAny,
    },
    async ({ key, body: sent, rawBody: bytes = Buffer.alloc(0) }) => {
      const entries = Buffer.isBuffer(sent) ? decodeNdjson(sent) : decodeObjects(sent)
      const receipt = await ingest(key, { entries, bytes, format: 'ndjson' })
      return envelope(receipt.message, receiptContent(receipt))
    },
  )
}

/** Returns undefined for an unexpected error, which is logged. */
function createKnownError(app: App): KnownError {
  const errors = createRepeatedErrors(app.log)
  return (error, request) => {
    if (error instanceof AppError && error.status !== 500) return error
    errors.log(error, { url: request.routeOptions.url }, 'request failed')
    return undefined
  }
}

const isProtobuf = ({ headers }: FastifyRequest): boolean =>
  (headers['content-type'] ?? '').trim().toLowerCase().startsWith(PROTOBUF)

const answer = async (reply: FastifyReply, { status, headers, body }: OtlpResponse) =>
  await reply.code(status).headers(headers).send(body)
