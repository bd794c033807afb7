/** Devices of both modes for the console: the list, one of them, and its errors. */
import { Type } from 'typebox'
import type { Members } from '../../modules/accounts/index.ts'
import {
  type Devices,
  devicePlaceOf,
  type LogExplorer,
  type ReadingLimits,
  readingQueries,
} from '../../modules/edge/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { found } from '../found.ts'
import { searched } from '../walking.ts'
import { mode, scopeOf } from './scope.ts'

export type DeviceConsoleDependencies = {
  accounts: Members
  devices: Pick<Devices, 'browse' | 'find'>
  explorer: Pick<LogExplorer, 'deviceErrors'>
  field_limits: ReadingLimits
}

const config = { access: 'portal', rate_class: 'console' } as const
const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const TEXT_MAX_CHARS = 512

export function deviceConsoleRoutes(app: App, deps: DeviceConsoleDependencies): void {
  const { accounts, devices, explorer, field_limits } = deps
  const { organization, dates } = readingQueries(field_limits)
  const scope = { ...organization, mode }
  // In the query, because a device may have any name, `..` too.
  const device_id = Type.String({ minLength: 1 })

  app.get(
    '/console/api/edge/devices',
    {
      config,
      schema: {
        querystring: Type.Object({
          ...scope,
          status: Type.Optional(choice(['active', 'inactive'])),
          text: Type.Optional(Type.String({ minLength: 1, maxLength: TEXT_MAX_CHARS })),
          cursor: Type.Optional(Type.String()),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
        }),
      },
    },
    async (request) => {
      const { cursor, status, limit = LISTED_DEFAULT } = request.query
      const text = searched('text', request.query.text)
      const owner = await scopeOf(accounts, userOf(request).user_id, request.query)
      const after = cursor === undefined ? undefined : devicePlaceOf(cursor)
      if (cursor !== undefined && !after) {
        throw invalidRequest('cursor', 'cursor is not one of an earlier page')
      }
      return envelope('Devices', await devices.browse(owner, { status, text, after, limit }))
    },
  )

  app.get(
    '/console/api/edge/device',
    { config, schema: { querystring: Type.Object({ ...scope, device_id }) } },
    async (request) => {
      const owner = await scopeOf(accounts, userOf(request).user_id, request.query)
      return envelope('Device', found(await devices.find(owner, request.query.device_id)))
    },
  )

  app.get(
    '/console/api/edge/device/errors',
    { config, schema: { querystring: Type.Object({ ...scope, ...dates, device_id }) } },
    async (request) => {
      const owner = await scopeOf(accounts, userOf(request).user_id, request.query)
      const { start_date, end_date, device_id: asked } = request.query
      const question = { start_date, end_date, device_id: asked }
      return envelope('Errors', { errors: await explorer.deviceErrors(owner, question) })
    },
  )
}
