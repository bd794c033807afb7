import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { identityToken, identityTokenRequest } from './schema.ts'
import type { PushIdentity } from './service.ts'

export type PushIdentityRouteDependencies = { identity: PushIdentity }

const ISSUED = 'Identity token issued'
const tags = ['Push']

/** Specification, "Push". */
export function pushIdentityRoutes(app: App, { identity }: PushIdentityRouteDependencies): void {
  app.post(
    '/v1/push-sdk/identity-token',
    {
      config: { access: 'secret_key', scope: 'push:write', rate_class: 'push' },
      schema: {
        operationId: 'createPushIdentityToken',
        summary: 'Create an identity token for a signed-in user, valid for five minutes',
        description:
          'Your app presents it to identify the user of its subscription. The environment of the application must match the mode of the key.',
        tags,
        'x-open-point': 'OP-18, OP-32, OP-37, OP-88, OP-96',
        body: identityTokenRequest,
        response: responses(identityToken, ISSUED),
      },
    },
    async (request) => envelope(ISSUED, await identity.issue(request.key, request.body)),
  )
}
