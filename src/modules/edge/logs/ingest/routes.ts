import type { App } from '../../../../platform/http/app.ts'
import { envelope, responses } from '../../../../platform/http/envelope.ts'
import { receiptContent } from '../../../intake/index.ts'
import { type IngestLimits, ingestSchemas } from './schema.ts'
import { type LogIngest, RECEIVED } from './service.ts'

export type LogIngestRouteDependencies = { logs: LogIngest; field_limits: IngestLimits }

/** Specification, "Edge devices and logs": ingestion of logs. */
export function edgeLogIngestRoutes(
  app: App,
  { logs, field_limits }: LogIngestRouteDependencies,
): void {
  const schemas = ingestSchemas(field_limits)
  const { edge_batch_max_bytes: max_bytes } = field_limits

  app.post(
    '/v1/edge/logs',
    {
      config: {
        access: 'secret_key',
        scope: 'logs:write',
        rate_class: 'ingest',
        body: { accepts_gzip: true, is_lenient: true, max_bytes },
      },
      schema: {
        operationId: 'sendEdgeLogs',
        summary: 'Send a batch of log entries',
        description:
          'Entries are validated one by one: valid entries are stored, and `errors` lists those that were rejected. An identical body sent again within 15 minutes gets the same `content`, is stored and charged once, and the message says so. Bodies can be compressed (`Content-Encoding: gzip`).',
        tags: ['Edge'],
        'x-open-point':
          'OP-18, OP-20, OP-21, OP-37, OP-67, OP-68, OP-72, OP-74, OP-131, OP-145, OP-146, OP-148',
        body: schemas.request,
        response: responses(schemas.receipt, RECEIVED),
      },
      // The service validates the entries: the schema would reject the whole batch for one of them.
      validatorCompiler: () => (value: unknown) => ({ value }),
    },
    async ({ key, body, rawBody = Buffer.alloc(0) }) => {
      const receipt = await logs.ingestLogs(key, body, rawBody)
      return envelope(receipt.message, receiptContent(receipt))
    },
  )
}
