/** Route for backends that create links for their customers; /v1 has no path for it (OP-179). */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import type { PortalLinks } from './links.ts'
import { linkFields } from './requests.ts'
import type { Portals } from './service.ts'

const CREATED = 'Link created; it will not be shown again'
const EXAMPLE_ID = '0198c3a2-9d10-7aa1-8b0e-5c1f2a3b4d5e'
const EXAMPLE_TOKEN = 'vpl_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9'

const request = Type.Object(linkFields, {
  $id: 'PortalLinkRequest',
  examples: [{ hours: 24, note: 'Acme, Berlin' }],
})
const link = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    url: Type.String({
      description: 'Open it in a browser or a frame. Its fragment is a token that is not stored',
      'x-secret': true,
    }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  {
    $id: 'PortalLink',
    examples: [
      {
        id: EXAMPLE_ID,
        url: `https://vigil.example.com/console/portal/${EXAMPLE_ID}#${EXAMPLE_TOKEN}`,
        expires_at: '2026-03-02T12:00:00.000Z',
      },
    ],
    'x-open-point': 'OP-179',
  },
)

export function portalLinkRoutes(
  app: App,
  { portals, links }: { portals: Pick<Portals, 'find'>; links: Pick<PortalLinks, 'create'> },
): void {
  app.post(
    '/sdk/portals/:portal_id/links',
    {
      config: { access: 'secret_key', scope: 'portals:write', rate_class: 'console' },
      schema: {
        operationId: 'createPortalLink',
        summary: 'Create a link with which a customer opens a portal',
        tags: ['Webhooks'],
        'x-open-point': 'OP-18, OP-38, OP-179',
        params: Type.Object({ portal_id: Type.String() }),
        body: request,
        response: responses(link, CREATED),
      },
    },
    async ({ key: { org_id, mode }, params, body }) => {
      const portal = await portals.find(org_id, params.portal_id)
      if (portal?.mode !== mode) throw notFound()
      return envelope(CREATED, await links.create(org_id, portal, body))
    },
  )
}
