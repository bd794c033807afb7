import type { App } from '../../platform/http/app.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import { bodyMaxBytes } from '../../platform/http/schemas.ts'
import { type PhoneLimits, phoneSchemas } from './schema.ts'
import type { Phone } from './service.ts'

const REPORTED = 'Report accepted'

export function phoneRoutes(app: App, phone: Phone, limits: PhoneLimits): void {
  const { report, acceptedReport } = phoneSchemas(limits)
  const body = { max_bytes: bodyMaxBytes(limits) + limits.check_data_max_bytes }

  app.post(
    '/v1/check/phone/report',
    {
      config: { access: 'secret_key', scope: 'checks:write', rate_class: 'report', body },
      schema: {
        operationId: 'reportPhoneOutcome',
        summary: 'Report the outcome of a phone number',
        tags: ['Checks'],
        'x-open-point': 'OP-4, OP-18, OP-47',
        body: report,
        response: responses(acceptedReport, REPORTED),
      },
    },
    async (request) => {
      const { org_id, mode } = request.key
      return envelope(REPORTED, await phone.report(org_id, mode, request.body))
    },
  )
}
