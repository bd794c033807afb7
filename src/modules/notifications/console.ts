/** Notifications in the console. Members read and choose for themselves; owners and admins set up channels. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { pageQuery, readCursorQuery } from '../../platform/http/cursor-paging.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import type { Browsers } from './browsers/browsers.ts'
import type { Channels } from './channels.ts'
import type { History } from './history.ts'
import type { Routes } from './routes.ts'
import { channelChange, mute, newBrowser, newChannel, newRoute, ownRoute } from './schema.ts'

export type NotificationRouteDependencies = {
  channels: Channels
  routes: Routes
  browsers: Browsers
  history: History
}

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const PATH = '/console/api/notifications'
const params = Type.Object({ id: Type.String() })

export function notificationRoutes(app: App, deps: NotificationRouteDependencies): void {
  channelRoutes(app, deps)
  routeRoutes(app, deps)
  browserRoutes(app, deps)
  historyRoutes(app, deps)
}

function channelRoutes(app: App, { channels }: NotificationRouteDependencies): void {
  app.get(`${PATH}/channels`, { config: MEMBER }, async ({ member }) =>
    envelope('Channels', { channels: await channels.list(member.org_id) }),
  )
  app.post(
    `${PATH}/channels`,
    { config: ADMIN, schema: { body: newChannel } },
    async ({ member, body }) => envelope('Channel created', await channels.create(member, body)),
  )
  app.patch(
    `${PATH}/channels/:id`,
    { config: ADMIN, schema: { params, body: channelChange } },
    async ({ member, params: { id }, body }) =>
      envelope('Channel changed', found(await channels.change(member, id, body))),
  )
  app.delete(
    `${PATH}/channels/:id`,
    { config: ADMIN, schema: { params } },
    async ({ member, params: { id } }) => {
      if (!(await channels.remove(member, id))) throw notFound()
      return envelope('Channel deleted', {})
    },
  )
  app.post(
    `${PATH}/channels/:id/test`,
    { config: ADMIN, schema: { params } },
    async ({ member, params: { id } }) =>
      envelope('Test sent', found(await channels.test(member, id))),
  )
}

function routeRoutes(app: App, { routes }: NotificationRouteDependencies): void {
  app.get(`${PATH}/routes`, { config: MEMBER }, async ({ member }) =>
    envelope('Routes', { routes: await routes.list(member.org_id) }),
  )
  app.put(
    `${PATH}/routes`,
    { config: ADMIN, schema: { body: newRoute } },
    async ({ member, body }) => envelope('Route set', await routes.set(member, body)),
  )
  app.delete(
    `${PATH}/routes/:id`,
    { config: ADMIN, schema: { params } },
    async ({ member, params: { id } }) => {
      if (!(await routes.remove(member, id))) throw notFound()
      return envelope('Route deleted', {})
    },
  )
  app.post(
    `${PATH}/routes/:id/mute`,
    { config: ADMIN, schema: { params, body: mute } },
    async ({ member, params: { id }, body }) =>
      envelope('Route muted', found(await routes.mute(member, id, body.minutes))),
  )
  app.get(`${PATH}/mine`, { config: MEMBER }, async ({ member }) =>
    envelope('Your notifications', { routes: await routes.listOwn(member) }),
  )
  app.put(
    `${PATH}/mine`,
    { config: MEMBER, schema: { body: ownRoute } },
    async ({ member, body }) => envelope('Choice stored', await routes.setOwn(member, body)),
  )
}

function browserRoutes(app: App, { browsers }: NotificationRouteDependencies): void {
  const path = `${PATH}/mine/browsers`
  app.get(path, { config: MEMBER }, async ({ member }) =>
    envelope('Your browsers', { browsers: await browsers.list(member) }),
  )
  app.post(`${path}/key`, { config: MEMBER }, async ({ member }) =>
    envelope('Key', await browsers.key(member)),
  )
  app.post(path, { config: MEMBER, schema: { body: newBrowser } }, async ({ member, body }) =>
    envelope('Browser added', await browsers.add(member, body)),
  )
  app.delete(
    `${path}/:id`,
    { config: MEMBER, schema: { params } },
    async ({ member, params: { id } }) => {
      if (!(await browsers.remove(member, id))) throw notFound()
      return envelope('Browser removed', {})
    },
  )
  app.post(
    `${path}/:id/test`,
    { config: MEMBER, schema: { params } },
    async ({ member, params: { id } }) =>
      envelope('Test sent', found(await browsers.test(member, id))),
  )
}

function historyRoutes(app: App, { history }: NotificationRouteDependencies): void {
  const lasting = Type.Optional(Type.Boolean())
  app.get(
    PATH,
    { config: MEMBER, schema: { querystring: Type.Object({ lasting, ...pageQuery }) } },
    async ({ member, query }) =>
      envelope(
        'Notifications',
        await history.list(member.org_id, query.lasting === true, pageOf(query)),
      ),
  )
  app.get(`${PATH}/firing`, { config: MEMBER }, async ({ member }) =>
    envelope('Firing', await history.firing(member.org_id)),
  )
  app.post(
    `${PATH}/:id/acknowledge`,
    { config: MEMBER, schema: { params } },
    async ({ member, params: { id } }) =>
      envelope('Acknowledged', found(await history.acknowledge(member, id))),
  )
  const channel_id = Type.Optional(Type.String({ format: 'uuid' }))
  app.get(
    `${PATH}/messages`,
    { config: MEMBER, schema: { querystring: Type.Object({ channel_id, ...pageQuery }) } },
    async ({ member, query }) =>
      envelope('Messages', await history.messages(member, query.channel_id, pageOf(query))),
  )
  app.post(
    `${PATH}/messages/:id/retry`,
    { config: ADMIN, schema: { params } },
    async ({ member, params: { id } }) => {
      if (!(await history.retry(member.org_id, id))) throw notFound()
      return envelope('Message is sent again', {})
    },
  )
}

function pageOf(query: { cursor?: string | undefined; limit?: number | undefined }) {
  const { after, limit } = readCursorQuery(query)
  return { before: after, limit }
}
