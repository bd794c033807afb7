import { keyOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import type { Limits } from '../../platform/http/schemas.ts'
import { phoneSchemas } from './schema.ts'
import type { Phone } from './service.ts'

const REPORTED = 'Report accepted'

export function phoneRoutes(app: App, phone: Phone, limits: Limits): void {
  const { report, acceptedReport } = phoneSchemas(limits)

  app.post(
    '/v1/check/phone/report',
    {
      config: { access: 'secret_key', rate_class: 'report' },
      schema: {
        operationId: 'reportPhoneOutcome',
        summary: 'Report what became of a phone number',
        tags: ['Checks'],
        'x-open-point': 'OP-4, OP-18, OP-47',
        body: report,
        response: responses(acceptedReport, REPORTED),
      },
    },
    async (request) => {
      const { org_id, mode } = keyOf(request)
      return envelope(REPORTED, await phone.report(org_id, mode, request.body))
    },
  )
}
