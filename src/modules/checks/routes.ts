import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import { keyOf, type RateClass } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { answerEach } from '../../platform/http/bulk.ts'
import { clientIp } from '../../platform/http/client-ip.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import type { RateLimits } from '../../platform/http/rate-limit.ts'
import type { Limits } from '../../platform/http/schemas.ts'
import type { Validators } from '../../platform/http/validation.ts'
import type { CheckContext } from './findings.ts'
import { sandboxCatalogue } from './sandbox/catalogue.ts'
import { type CheckRequest, checkSchemas } from './schema.ts'
import type { Checks } from './service.ts'

const COMPLETED = 'Check completed'
const SANDBOX = 'Sandbox catalogue'
const BULK_COMPLETED = 'Checks completed'

export type CheckRouteDependencies = {
  checks: Checks
  clock: Clock
  validators: Validators
  limits: RateLimits<RateClass>
  field_limits: Limits
  /** Whether what a trusted proxy passes on is the address of the end user. */
  end_user_address: 'forwarded' | 'ignored'
}

export function checkRoutes(app: App, deps: CheckRouteDependencies): void {
  const { checks, clock, validators, limits, field_limits } = deps
  const schemas = checkSchemas(field_limits)
  const isCheckRequest = validators.compileBody(schemas.request)

  app.post(
    '/v1/check',
    {
      config: { access: 'secret_key', rate_class: 'check' },
      schema: {
        operationId: 'createCheck',
        summary: 'Check an e-mail, a phone number and/or a device',
        tags: ['Checks'],
        'x-open-point':
          'OP-5, OP-6, OP-7, OP-8, OP-18, OP-20, OP-37, OP-40, OP-41, OP-42, OP-43, OP-44, OP-45, OP-46',
        body: schemas.request,
        response: responses(schemas.checkResult, COMPLETED),
      },
    },
    async (request) =>
      envelope(
        COMPLETED,
        await checks.run(contextOf(request, deps.end_user_address), request.body),
      ),
  )

  app.post(
    '/v1/check/bulk',
    {
      config: { access: 'secret_key', rate_class: 'check' },
      schema: {
        operationId: 'createChecks',
        summary: 'Run several checks; each has its own answer, in the order of the request',
        tags: ['Checks'],
        'x-open-point': 'OP-1, OP-5, OP-18, OP-20',
        body: schemas.bulkRequest,
        response: responses(schemas.bulkResult, BULK_COMPLETED),
      },
    },
    async (request) => {
      const context = contextOf(request, deps.end_user_address)
      const answers = await answerEach(request, request.body.checks, {
        limits,
        rate_class: 'check',
        isElement: isCheckRequest,
        message: COMPLETED,
        run: (check: CheckRequest) => checks.run(context, check),
      })
      return envelope(BULK_COMPLETED, answers)
    },
  )

  app.get(
    '/v1/check/sandbox',
    {
      config: { access: 'secret_key', rate_class: 'read' },
      schema: {
        operationId: 'getSandbox',
        summary: 'Values with a fixed outcome, for test keys; does not run a check',
        tags: ['Checks'],
        'x-open-point': 'OP-3',
        response: responses(schemas.sandboxCatalogue, SANDBOX),
      },
    },
    () => envelope(SANDBOX, sandboxCatalogue(clock.now())),
  )

  app.get(
    '/v1/check/:id',
    {
      config: { access: 'secret_key', rate_class: 'read' },
      schema: {
        operationId: 'getCheck',
        summary: 'Read a check back',
        tags: ['Checks'],
        'x-open-point': 'OP-38',
        params: Type.Object({ id: Type.String({ description: 'check_id of the result' }) }),
        response: responses(schemas.checkResult, COMPLETED),
      },
    },
    async (request) => {
      const { org_id, mode } = keyOf(request)
      return envelope(COMPLETED, await checks.get(org_id, mode, request.params.id))
    },
  )
}

function contextOf(
  request: FastifyRequest,
  endUserAddress: CheckRouteDependencies['end_user_address'],
): CheckContext {
  const { org_id, mode } = keyOf(request)
  return { org_id, mode, client_ip: endUserAddress === 'forwarded' ? clientIp(request) : undefined }
}
