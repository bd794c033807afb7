import type { App } from '../../platform/http/app.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import type { Limits } from '../../platform/http/schemas.ts'
import { profileSchemas } from './schema.ts'
import type { Profiles } from './service.ts'

/** Fixed by the specification, "Profiles, orders, cashier". */
const UPSERTED = 'Profile upserted'

export function profileRoutes(app: App, profiles: Profiles, fieldLimits: Limits): void {
  const schemas = profileSchemas(fieldLimits)
  app.post(
    '/v1/profiles',
    {
      config: { access: 'secret_key', scope: 'profiles:write', rate_class: 'profile' },
      schema: {
        operationId: 'upsertProfile',
        summary: 'Create or update a profile and link a device to it',
        tags: ['Profiles'],
        'x-open-point': 'OP-10, OP-18, OP-37, OP-50',
        body: schemas.request,
        response: responses(schemas.upserted, UPSERTED),
      },
    },
    async (request) => {
      const { org_id, mode } = request.key
      return envelope(UPSERTED, await profiles.upsert({ org_id, mode }, request.body))
    },
  )
}
