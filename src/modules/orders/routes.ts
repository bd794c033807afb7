import type { FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { answerEach } from '../../platform/http/bulk.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import { bodyMaxBytes, type Limits } from '../../platform/http/schemas.ts'
import type { Validators } from '../../platform/http/validation.ts'
import type { Payer } from '../billing/index.ts'
import { BULK_ORDERS_MAX, type OrderRequest, orderSchemas } from './schema.ts'
import type { Orders } from './service.ts'
import { storedForm } from './stored-form.ts'

const SCORED = 'Order scored'
const BULK_SCORED = 'Orders scored'
/** Room for 500 items, in sizes of a body without a list. */
const ORDER_BODIES = 4
/** More than 100 orders of 500 items of seven members have. */
const BULK_VALUES_MAX = 524_288

export type OrderRouteDependencies = {
  orders: Orders
  validators: Validators
  field_limits: Limits
}

export function orderRoutes(app: App, deps: OrderRouteDependencies): void {
  const { orders, validators, field_limits } = deps
  const schemas = orderSchemas(field_limits)
  const max_bytes = ORDER_BODIES * bodyMaxBytes(field_limits)
  const bulk = {
    list: 'orders',
    max_bytes: BULK_ORDERS_MAX * max_bytes,
    values_max: BULK_VALUES_MAX,
  }
  const isOrderRequest = validators.compileBody(schemas.request)
  const stored = storedForm(schemas.request)
  const score = (owner: Payer, order: OrderRequest) => orders.score(owner, stored(order))

  app.post(
    '/v1/orders',
    {
      config: {
        access: 'secret_key',
        scope: 'orders:write',
        rate_class: 'order',
        body: { max_bytes },
      },
      schema: {
        operationId: 'createOrder',
        summary: 'Submit and score an order',
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
      config: { access: 'secret_key', scope: 'orders:write', rate_class: 'order', body: bulk },
      schema: {
        operationId: 'createOrders',
        summary: 'Submit up to 100 orders; results are returned in request order',
        tags: ['Orders'],
        'x-open-point': 'OP-2, OP-9, OP-20',
        body: schemas.bulkRequest,
        response: responses(schemas.bulkResult, BULK_SCORED),
      },
    },
    async (request) => {
      const owner = ownerOf(request)
      const answers = await answerEach(request, request.body.orders, {
        list: bulk.list,
        isElement: isOrderRequest,
        message: SCORED,
        run: (order: OrderRequest) => score(owner, order),
      })
      return envelope(BULK_SCORED, answers)
    },
  )
}

function ownerOf(request: FastifyRequest): Payer {
  const { org_id, mode, key_id } = request.key
  return { org_id, mode, key_id }
}
