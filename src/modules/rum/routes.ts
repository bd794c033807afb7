import { keyOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { answerPreflight } from '../../platform/http/cors.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import type { Validators } from '../../platform/http/validation.ts'
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

/** Specification, "RUM". */
export function rumRoutes(app: App, { rum, validators, field_limits }: RumRouteDependencies): void {
  const schemas = rumSchemas(field_limits)

  answerPreflight(app, EVENTS_PATH)
  app.post(
    EVENTS_PATH,
    {
      config: {
        access: 'any_key',
        rate_class: 'rum',
        // What `navigator.sendBeacon` can do: no headers, text, and at most 64 KiB.
        key_in_query: true,
        cors: true,
        body: {
          accepts_text: true,
          accepts_gzip: true,
          is_lenient: true,
          max_bytes: field_limits.rum_batch_max_bytes,
        },
      },
      schema: {
        operationId: 'sendRumEvents',
        summary: 'Send what happened in a session of a browser or an app',
        description:
          'The body may also be sent as `text/plain` or without a content type, and a public key as `?api_key=`, as browsers do when a page is left.',
        tags,
        'x-open-point': 'OP-17, OP-18, OP-37, OP-39, OP-64, OP-67, OP-74',
        body: schemas.events,
        response: responses(schemas.receipt, RECEIVED),
      },
      // The document says more of a body than may be refused at once.
      validatorCompiler: (route) => validators.compiler({ ...route, schema: schemas.batch }),
    },
    async (request) => {
      const { message, received, processed } = await rum.submit(keyOf(request), {
        body: request.body,
        bytes: request.rawBody ?? Buffer.alloc(0),
        user_agent: request.headers['user-agent'],
      })
      return envelope(message, { received, processed })
    },
  )

  app.get(
    '/v1/rum/usage',
    {
      config: { access: 'secret_key', rate_class: 'read' },
      schema: {
        operationId: 'getRumUsage',
        summary: 'Sessions, events and credits of the current calendar month',
        tags,
        'x-open-point': 'OP-17, OP-39',
        response: responses(schemas.usage, USAGE),
      },
    },
    async (request) => envelope(USAGE, await rum.usage(keyOf(request))),
  )
}
