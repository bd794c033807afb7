/** Commands (specification, "MDM"), for owners and admins of the organization. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { found } from '../../../platform/http/found.ts'
import { mdmRoute } from '../route.ts'
import { command, commandRequest, groupCommand } from './schema.ts'
import type { Commands } from './service.ts'

/** What cannot be undone needs a recent proof of the member's second factor. */
const FRESH = { fresh_factor: { type: ['RELINQUISH_OWNERSHIP', 'WIPE'] } }
const CREATED = 'Command queued'
const CREATED_FOR_GROUP = 'Commands queued'

export function commandRoutes(app: App, { commands }: { commands: Commands }): void {
  app.post(
    '/v1/mdm/devices/:device_id/commands',
    mdmRoute(
      'change',
      {
        operationId: 'createDeviceCommand',
        summary: 'Send a command to a device, such as locking or wiping it',
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-77, OP-84, OP-163',
        params: Type.Object({ device_id: Type.String() }),
        body: commandRequest,
        response: responses(command, CREATED),
      },
      FRESH,
    ),
    async ({ member, params, body }) =>
      envelope(CREATED, found(await commands.create(member, params.device_id, body))),
  )

  app.post(
    '/v1/mdm/groups/:group_id/commands',
    mdmRoute(
      'change',
      {
        operationId: 'createGroupCommand',
        summary: 'Send a command to all devices of a group that support it',
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-77, OP-84, OP-163',
        params: Type.Object({ group_id: Type.String() }),
        body: commandRequest,
        response: responses(groupCommand, CREATED_FOR_GROUP),
      },
      FRESH,
    ),
    async ({ member, params, body }) => {
      const created = await commands.createForGroup(member, params.group_id, body)
      return envelope(CREATED_FOR_GROUP, found(created))
    },
  )
}
