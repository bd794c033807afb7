/**
 * Routes for agents with other formats of logs (OP-149). They are not part of /v1, and answer
 * as their protocols say.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { stringifyExact } from '../../../../platform/exact-json.ts'
import type { App } from '../../../../platform/http/app.ts'
import { AppError } from '../../../../platform/http/errors.ts'
import type { Owner } from '../../../../platform/owner.ts'
import { createRepeatedErrors } from '../../../../platform/repeated-errors.ts'
import type { Receipt } from '../../../intake/index.ts'
import type { IngestLimits } from '../ingest/schema.ts'
import type { LogIngest } from '../ingest/service.ts'
import { entryOf } from './entry.ts'
import { decodeOtlpJson } from './otlp-json.ts'
import { decodeOtlpProtobuf } from './otlp-protobuf.ts'
import { type OtlpResponse, otlpError, otlpSuccess, PROTOBUF } from './otlp-response.ts'
import type { SentRecord } from './values.ts'

export type AgentRouteDependencies = { logs: LogIngest; field_limits: IngestLimits }

/** A resource is stored with each of its records, so what is stored can be larger than the body. */
const LINES_PER_BODY = 4
/** The decoders validate the body. */
const ANY_BODY = { body: Type.Unknown() }
const acceptAny = () => (value: unknown) => ({ value })

export function agentLogRoutes(app: App, { logs, field_limits }: AgentRouteDependencies): void {
  const { edge_batch_max_bytes: max_bytes } = field_limits
  const errors = createRepeatedErrors(app.log)
  const body = { accepts_gzip: true, is_lenient: true, max_bytes }

  const ingest = async (
    owner: Owner,
    { records, bytes, format }: { records: SentRecord[]; bytes: Buffer; format: string },
  ): Promise<Receipt | undefined> =>
    records.length === 0
      ? undefined
      : await logs.ingestEntries(owner, {
          list: 'records',
          entries: records.map(entryOf),
          bytes,
          format,
          dataText: stringifyExact,
          lines_max_chars: LINES_PER_BODY * max_bytes,
        })

  app.post(
    '/otlp/v1/logs',
    {
      config: {
        access: 'secret_key',
        rate_class: 'ingest',
        body: { ...body, binary_types: [PROTOBUF] },
      },
      schema: ANY_BODY,
      validatorCompiler: acceptAny,
      errorHandler: (error, request, reply) => {
        const known = error instanceof AppError && error.status !== 500 ? error : undefined
        if (!known) errors.log(error, { url: request.routeOptions.url }, 'request failed')
        void answer(reply, otlpError(isProtobuf(request), known))
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

const isProtobuf = ({ headers }: FastifyRequest): boolean =>
  (headers['content-type'] ?? '').trim().toLowerCase().startsWith(PROTOBUF)

const answer = async (reply: FastifyReply, { status, headers, body }: OtlpResponse) =>
  await reply.code(status).headers(headers).send(body)
