/** Devices of both modes for the console: the list, one device and its errors. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { readSearchText } from '../../../platform/http/cursor-paging.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { modeParameter, ownerOf } from '../../access/index.ts'
import type { LogExplorer } from '../logs/explorer/service.ts'
import { type ReadingLimits, readingQueries } from '../logs/reading/schema.ts'
import { placeOf } from './browse-cursor.ts'
import type { Devices } from './service.ts'

export type DeviceConsoleDependencies = {
  devices: Pick<Devices, 'browse' | 'find'>
  explorer: Pick<LogExplorer, 'deviceErrors'>
  field_limits: ReadingLimits
}

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const TEXT_MAX_CHARS = 512

export function deviceConsoleRoutes(app: App, deps: DeviceConsoleDependencies): void {
  const { devices, explorer, field_limits } = deps
  const { dates } = readingQueries(field_limits)
  // In the query and not in the path, because a device id can be any text, even `..`.
  const device_id = Type.String({ minLength: 1 })

  app.get(
    '/console/api/edge/devices',
    {
      config: MEMBER,
      schema: {
        querystring: Type.Object({
          ...modeParameter,
          status: Type.Optional(choice(['active', 'inactive'])),
          text: Type.Optional(Type.String({ minLength: 1, maxLength: TEXT_MAX_CHARS })),
          cursor: Type.Optional(Type.String()),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
        }),
      },
    },
    async ({ member, query }) => {
      const { cursor, status, limit = LISTED_DEFAULT } = query
      const text = readSearchText('text', query.text)
      const owner = ownerOf(member, query)
      const after = cursor === undefined ? undefined : placeOf(cursor)
      if (cursor !== undefined && !after) {
        throw invalidRequest('cursor', 'cursor is not the next_cursor of an earlier page')
      }
      return envelope('Devices', await devices.browse(owner, { status, text, after, limit }))
    },
  )

  app.get(
    '/console/api/edge/device',
    { config: MEMBER, schema: { querystring: Type.Object({ ...modeParameter, device_id }) } },
    async ({ member, query }) =>
      envelope('Device', found(await devices.find(ownerOf(member, query), query.device_id))),
  )

  app.get(
    '/console/api/edge/device/errors',
    {
      config: MEMBER,
      schema: { querystring: Type.Object({ ...modeParameter, ...dates, device_id }) },
    },
    async ({ member, query }) => {
      const errors = await explorer.deviceErrors(ownerOf(member, query), query)
      return envelope('Errors', { errors })
    },
  )
}
