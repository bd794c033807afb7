import type { FastifyRequest } from 'fastify'
import { keyOf, type RateClass } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { answerEach } from '../../platform/http/bulk.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import { createKnownMembers } from '../../platform/http/known-members.ts'
import type { RateLimits } from '../../platform/http/rate-limit.ts'
import type { Limits } from '../../platform/http/schemas.ts'
import type { Validators } from '../../platform/http/validation.ts'
import { type OrderRequest, orderSchemas } from './schema.ts'
import type { Orders, Owner } from './service.ts'

const SCORED = 'Order scored'
const BULK_SCORED = 'Orders scored'

export type OrderRouteDependencies = {
  orders: Orders
  validators: Validators
  limits: RateLimits<RateClass>
  field_limits: Limits
}

export function orderRoutes(app: App, deps: OrderRouteDependencies): void {
  const { orders, validators, limits, field_limits } = deps
  const schemas = orderSchemas(field_limits)
  const isOrderRequest = validators.compileBody(schemas.request)
  const knownMembers = createKnownMembers(schemas.request)
  const score = (owner: Owner, order: OrderRequest) => orders.score(owner, knownMembers(order))

  app.post(
    '/v1/orders',
    {
      config: { access: 'secret_key', rate_class: 'order' },
      schema: {
        operationId: 'createOrder',
        summary: 'Submit an order; it is scored at once',
        tags: ['Orders'],
        'x-open-point': 'OP-9, OP-10, OP-18, OP-20, OP-37, OP-48, OP-49',
        body: schemas.request,
        response: responses(schemas.scoredOrder, SCORED),
      },
    },
    async (request) => envelope(SCORED, await score(ownerOf(request), request.body)),
  )

  app.post(
    '/v1/orders/bulk',
    {
      config: { access: 'secret_key', rate_class: 'order' },
      schema: {
        operationId: 'createOrders',
        summary: 'Submit up to 100 orders; each has its own answer, in the order of the request',
        tags: ['Orders'],
        'x-open-point': 'OP-2, OP-9, OP-20',
        body: schemas.bulkRequest,
        response: responses(schemas.bulkResult, BULK_SCORED),
      },
    },
    async (request) => {
      const owner = ownerOf(request)
      const answers = await answerEach(request, request.body.orders, {
        limits,
        rate_class: 'order',
        isElement: isOrderRequest,
        message: SCORED,
        run: (order: OrderRequest) => score(owner, order),
      })
      return envelope(BULK_SCORED, answers)
    },
  )
}

function ownerOf(request: FastifyRequest): Owner {
  const { org_id, mode } = keyOf(request)
  return { org_id, mode }
}
