import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import type { App } from '../../platform/http/app.ts'
import { answerEach } from '../../platform/http/bulk.ts'
import { clientIp } from '../../platform/http/client-ip.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import type { Validators } from '../../platform/http/validation.ts'
import type { CheckContext } from './findings.ts'
import { sandboxCatalog } from './sandbox/catalog.ts'
import { type CheckLimits, type CheckRequest, checkMaxBytes, checkSchemas } from './schema.ts'
import type { Checks } from './service.ts'

const COMPLETED = 'Check completed'
const SANDBOX = 'Sandbox catalog'
const BULK_COMPLETED = 'Checks completed'

export type CheckRouteDependencies = {
  checks: Checks
  clock: Clock
  validators: Validators
  field_limits: CheckLimits
  /** Whether the address that a trusted proxy forwards is that of the end user (OP-40). */
  end_user_address: 'forwarded' | 'ignored'
}

export function checkRoutes(app: App, deps: CheckRouteDependencies): void {
  const { checks, clock, validators, field_limits } = deps
  const schemas = checkSchemas(field_limits)
  const max_bytes = checkMaxBytes(field_limits)
  const bulk = { list: 'checks', max_bytes: field_limits.check_bulk_max * max_bytes }
  const isCheckRequest = validators.compileBody(schemas.request)

  app.post(
    '/v1/check',
    {
      config: {
        access: 'secret_key',
        scope: 'checks:write',
        rate_class: 'check',
        body: { max_bytes },
      },
      schema: {
        operationId: 'createCheck',
        summary: 'Check an e-mail, a phone number and/or a device',
        tags: ['Checks'],
        'x-open-point':
          'OP-5, OP-6, OP-7, OP-8, OP-18, OP-20, OP-37, OP-40, OP-41, OP-42, OP-43, OP-44, OP-45, OP-46, OP-164, OP-165, OP-166',
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
      config: { access: 'secret_key', scope: 'checks:write', rate_class: 'check', body: bulk },
      schema: {
        operationId: 'createChecks',
        summary: 'Run several checks; results follow the order of the request',
        tags: ['Checks'],
        'x-open-point': 'OP-1, OP-5, OP-18, OP-20',
        body: schemas.bulkRequest,
        response: responses(schemas.bulkResult, BULK_COMPLETED),
      },
    },
    async (request) => {
      const context = contextOf(request, deps.end_user_address)
      const answers = await answerEach(request, request.body.checks, {
        list: bulk.list,
        isElement: isCheckRequest,
        message: COMPLETED,
        identityOf: eventIdOf,
        run: (check: CheckRequest) => checks.run(context, check),
      })
      return envelope(BULK_COMPLETED, answers)
    },
  )

  app.get(
    '/v1/check/sandbox',
    {
      config: { access: 'secret_key', scope: 'checks:read', rate_class: 'read' },
      schema: {
        operationId: 'getSandbox',
        summary: 'List the values that have a fixed outcome with test keys; runs no check',
        tags: ['Checks'],
        'x-open-point': 'OP-3',
        response: responses(schemas.sandboxCatalog, SANDBOX),
      },
    },
    () => envelope(SANDBOX, sandboxCatalog(clock.now())),
  )

  app.get(
    '/v1/check/:id',
    {
      config: { access: 'secret_key', scope: 'checks:read', rate_class: 'read' },
      schema: {
        operationId: 'getCheck',
        summary: 'Retrieve a check',
        tags: ['Checks'],
        'x-open-point': 'OP-38',
        params: Type.Object({ id: Type.String({ description: 'check_id of the result' }) }),
        response: responses(schemas.checkResult, COMPLETED),
      },
    },
    async (request) => {
      const { org_id, mode } = request.key
      return envelope(COMPLETED, await checks.get(org_id, mode, request.params.id))
    },
  )
}

function eventIdOf(candidate: unknown): string | undefined {
  const { event_id } = (candidate ?? {}) as { event_id?: unknown }
  return typeof event_id === 'string' ? event_id : undefined
}

function contextOf(
  request: FastifyRequest,
  endUserAddress: CheckRouteDependencies['end_user_address'],
): CheckContext {
  const { org_id, mode, key_id } = request.key
  const client_ip = endUserAddress === 'forwarded' ? clientIp(request) : undefined
  return { org_id, mode, key_id, client_ip }
}
