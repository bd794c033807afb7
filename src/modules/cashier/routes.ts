import type { App } from '../../platform/http/app.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import { createKnownMembers } from '../../platform/http/known-members.ts'
import type { Limits } from '../../platform/http/schemas.ts'
import { cashierSchemas } from './schema.ts'
import type { Cashier } from './service.ts'

const RECORDED = 'Cashier action recorded'

export type CashierRouteDependencies = { cashier: Cashier; field_limits: Limits }

export function cashierRoutes(app: App, { cashier, field_limits }: CashierRouteDependencies): void {
  const schemas = cashierSchemas(field_limits)
  const knownMembers = createKnownMembers(schemas.request)

  app.post(
    '/v1/cashier/actions',
    {
      config: { access: 'secret_key', scope: 'cashier:write', rate_class: 'cashier' },
      schema: {
        operationId: 'createCashierAction',
        summary: 'Record and score a cashier action',
        tags: ['Cashier'],
        'x-open-point': 'OP-18, OP-23, OP-37, OP-48, OP-49, OP-51, OP-52, OP-53',
        body: schemas.request,
        response: responses(schemas.recordedAction, RECORDED),
      },
    },
    async (request) => {
      const { org_id, mode } = request.key
      return envelope(RECORDED, await cashier.record({ org_id, mode }, knownMembers(request.body)))
    },
  )
}
