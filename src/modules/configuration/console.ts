/** Routes of what configuration files have set: members see it, owners and admins record what they applied. */
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { appliedItem, CONTENT_MAX_BYTES } from './schema.ts'
import type { Configuration } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const PATH = '/console/api/configuration'
/** The content, and room for names, spaces and escapes. */
const BODY_MAX_BYTES = CONTENT_MAX_BYTES + 100_000

type Dependencies = { configuration: Configuration }

export function configurationRoutes(app: App, { configuration }: Dependencies): void {
  app.get(PATH, { config: MEMBER }, async ({ member }) =>
    envelope('Items of files', { items: await configuration.list(member.org_id) }),
  )

  const recording = {
    config: { ...ADMIN, body: { max_bytes: BODY_MAX_BYTES } },
    schema: { body: appliedItem },
  }
  app.put(PATH, recording, async ({ member, body }) => {
    await configuration.record(member.org_id, body, member.user_id)
    return envelope('Item recorded', {})
  })
}
