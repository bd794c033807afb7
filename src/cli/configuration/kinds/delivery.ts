/** Push applications and webhook endpoints. */
import type { Application } from '../../../modules/applications/schema.ts'
import type { EndpointHealth } from '../../../modules/webhooks/history/schema.ts'
import type { EndpointWithSecret } from '../../../modules/webhooks/schema.ts'
import { type Kind, pickMembers, sortedTexts, textOf } from './kind.ts'

const APPLICATIONS = '/console/api/push/applications'
const ENDPOINTS = '/console/api/webhooks'
const DOCUMENTED_ENDPOINTS = '/v1/webhooks'

/** Without credentials, which are secrets of the provider. */
export const pushApplications: Kind = {
  noun: 'push application',
  nameOf: (content) => `${textOf(content, 'name')}/${textOf(content, 'environment')}`,
  normalize: (content) => ({ type: 'flutter', ...content }),
  fixed: ['environment', 'type'],
  read: async ({ api }) =>
    (await api.get<Application[]>(APPLICATIONS)).map(({ id, name, environment, type }) => ({
      id,
      name: `${name}/${environment}`,
      content: { name, environment, type },
    })),
  create: async ({ api }, content) => ({
    id: (await api.send<Application>('POST', APPLICATIONS, content)).id,
  }),
  change: async ({ api }, { id }, content) => {
    await api.send('PATCH', `${APPLICATIONS}/${id}`, pickMembers(content, ['name']))
  },
  remove: async ({ api }, { id }) => await api.remove(`${APPLICATIONS}/${id}`),
}

/** An endpoint is its URL and its mode. */
export const webhookEndpoints: Kind = {
  noun: 'webhook endpoint',
  nameOf: (content) => `${textOf(content, 'mode')} ${textOf(content, 'url')}`,
  normalize: (content) => ({
    description: '',
    status: 'active',
    ...content,
    events: sortedTexts(content['events']),
  }),
  read: async ({ api }) =>
    (await api.get<EndpointHealth[]>(ENDPOINTS)).map((endpoint) => {
      const { id, url, mode, events, description, status } = endpoint
      const content = { url, mode, events, description, status }
      return { id, name: `${mode} ${url}`, content }
    }),
  create: async ({ api }, content) => {
    const body = pickMembers(content, ['url', 'mode', 'events', 'description'])
    const { id, secret } = await api.send<EndpointWithSecret>('POST', ENDPOINTS, body)
    if (content['status'] === 'paused') {
      await api.send('PATCH', `${DOCUMENTED_ENDPOINTS}/${id}`, { status: 'paused' })
    }
    return { id, secrets: { secret } }
  },
  change: async ({ api }, { id }, content, changed) => {
    await api.send('PATCH', `${DOCUMENTED_ENDPOINTS}/${id}`, pickMembers(content, changed))
  },
  remove: async ({ api }, { id }) => await api.remove(`${DOCUMENTED_ENDPOINTS}/${id}`),
}
