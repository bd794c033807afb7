/** Specification, "MDM": commands, for owners and admins of the organisation. */
import { Type } from 'typebox'
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import type { Members } from '../../accounts/index.ts'
import { requireOperator } from '../access.ts'
import { command, commandRequest, groupCommand } from './schema.ts'
import type { Commands } from './service.ts'

export type CommandRouteDependencies = { accounts: Members; commands: Commands }

const CREATED = 'Command queued'
const CREATED_FOR_GROUP = 'Commands queued'

const config = { access: 'portal', rate_class: 'console' } as const
const tags = ['MDM']

const inOrganization = Type.Object({ org_id: Type.String() })

export function commandRoutes(app: App, { accounts, commands }: CommandRouteDependencies): void {
  app.post(
    '/v1/mdm/devices/:device_id/commands',
    {
      config,
      schema: {
        operationId: 'createDeviceCommand',
        summary: 'Lock, reboot, wipe or otherwise command a device',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-77, OP-84',
        params: Type.Object({ device_id: Type.String() }),
        querystring: inOrganization,
        body: commandRequest,
        response: responses(command, CREATED),
      },
    },
    async (request) => {
      const by = { org_id: request.query.org_id, user_id: userOf(request).user_id }
      await requireOperator(accounts, by.user_id, by.org_id)
      const made = await commands.create(by, request.params.device_id, request.body)
      if (!made) throw notFound()
      return envelope(CREATED, made)
    },
  )

  app.post(
    '/v1/mdm/groups/:group_id/commands',
    {
      config,
      schema: {
        operationId: 'createGroupCommand',
        summary: 'Command all devices of a group that can take it',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-77, OP-84',
        params: Type.Object({ group_id: Type.String() }),
        querystring: inOrganization,
        body: commandRequest,
        response: responses(groupCommand, CREATED_FOR_GROUP),
      },
    },
    async (request) => {
      const by = { org_id: request.query.org_id, user_id: userOf(request).user_id }
      await requireOperator(accounts, by.user_id, by.org_id)
      const made = await commands.createForGroup(by, request.params.group_id, request.body)
      if (!made) throw notFound()
      return envelope(CREATED_FOR_GROUP, made)
    },
  )
}
