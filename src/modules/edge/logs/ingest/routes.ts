import { keyOf } from '../../../../platform/http/access.ts'
import type { App } from '../../../../platform/http/app.ts'
import { envelope, responses } from '../../../../platform/http/envelope.ts'
import { type IngestLimits, ingestSchemas } from './schema.ts'
import { type LogIngest, RECEIVED } from './service.ts'

export type LogIngestRouteDependencies = { logs: LogIngest; field_limits: IngestLimits }

/** Specification, "Edge devices and logs": the intake of logs. */
export function edgeLogIngestRoutes(
  app: App,
  { logs, field_limits }: LogIngestRouteDependencies,
): void {
  const schemas = ingestSchemas(field_limits)

  app.post(
    '/v1/edge/logs',
    {
      config: {
        access: 'secret_key',
        rate_class: 'ingest',
        body: {
          accepts_gzip: true,
          is_lenient: true,
          max_bytes: field_limits.edge_batch_max_bytes,
        },
      },
      schema: {
        operationId: 'sendEdgeLogs',
        summary: 'Send a batch of log entries of devices',
        description:
          'Each entry is examined on its own: those that are refused are counted in the message, and the others are stored. The same body again, within 15 minutes, is answered the same and counts once. Bodies may be compressed (`Content-Encoding: gzip`).',
        tags: ['Edge'],
        'x-open-point': 'OP-18, OP-20, OP-21, OP-37, OP-67, OP-68, OP-72, OP-74',
        body: schemas.request,
        response: responses(schemas.receipt, RECEIVED),
      },
      // The service examines the body: the schema would refuse all of it for one entry.
      validatorCompiler: () => (value: unknown) => ({ value }),
    },
    async (request) => {
      const bytes = request.rawBody ?? Buffer.alloc(0)
      const receipt = await logs.ingestLogs(keyOf(request), request.body, bytes)
      const { message, received, processed } = receipt
      return envelope(message, { received, processed })
    },
  )
}
