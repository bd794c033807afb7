import type { App } from '../../platform/http/app.ts'
import { answerPreflight } from '../../platform/http/cors.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import type { Validators } from '../../platform/http/validation.ts'
import { receiptContent } from '../intake/index.ts'
import { describedEvents } from './described-events.ts'
import { rumSchemas } from './schema.ts'
import { RECEIVED, type Rum } from './service.ts'

export type RumRouteDependencies = {
  rum: Rum
  validators: Validators
  field_limits: { rum_batch_max: number; rum_batch_max_bytes: number }
}

const USAGE = 'Usage of this month'
const EVENTS_PATH = '/v1/rum/events'
const tags = ['RUM']
/** A batch counts as its number of events, or as its size in units of this if that is more. */
const EVENT_BYTES = 1024

/** Operations of the specification, section "RUM". */
export function rumRoutes(app: App, { rum, validators, field_limits }: RumRouteDependencies): void {
  const schemas = rumSchemas(field_limits)

  answerPreflight(app, EVENTS_PATH)
  app.post(
    EVENTS_PATH,
    {
      config: {
        access: 'any_key',
        scope: 'rum:write',
        rate_class: 'rum',
        network_rate_class: 'rum_network',
        // `navigator.sendBeacon` sets no headers, and sends text of at most 64 KiB.
        key_in_query: true,
        cors: true,
        body: {
          accepts_text: true,
          accepts_gzip: true,
          is_lenient: true,
          bytes_per_request: EVENT_BYTES,
          max_bytes: field_limits.rum_batch_max_bytes,
        },
      },
      schema: {
        operationId: 'sendRumEvents',
        summary: 'Send events of a session in a browser or an app',
        description:
          'The body can also be sent as `text/plain` or without a content type, and a public key as `?api_key=`: browsers need this to send events while a page is being closed.',
        tags,
        'x-open-point':
          'OP-17, OP-18, OP-37, OP-39, OP-64, OP-67, OP-74, OP-128, OP-130, OP-146, OP-148',
        body: describedEvents(field_limits),
        response: responses(schemas.receipt, RECEIVED),
      },
      // The documented schema would reject a whole batch for one invalid event.
      validatorCompiler: (route) => validators.compiler({ ...route, schema: schemas.batch }),
    },
    async (request) => {
      const { key, body, rawBody: bytes = Buffer.alloc(0), headers } = request
      const uncounted = body.events.length - Math.ceil(bytes.length / EVENT_BYTES)
      if (uncounted > 0) await request.count(uncounted)
      const submission = { body, bytes, user_agent: headers['user-agent'] }
      const receipt = await rum.submit(key, submission)
      return envelope(receipt.message, receiptContent(receipt))
    },
  )

  app.get(
    '/v1/rum/usage',
    {
      config: { access: 'secret_key', scope: 'rum:read', rate_class: 'read' },
      schema: {
        operationId: 'getRumUsage',
        summary: 'Sessions, events and credits of the current calendar month',
        tags,
        'x-open-point': 'OP-17, OP-39, OP-143',
        querystring: schemas.usageQuery,
        response: responses(schemas.usage, USAGE),
      },
    },
    async (request) => envelope(USAGE, await rum.usage(request.key)),
  )
}
