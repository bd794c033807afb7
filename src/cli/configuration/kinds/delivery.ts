/** Push applications and webhook endpoints. */
import type { Application } from '../../../modules/applications/schema.ts'
import type { Configuration } from '../../../modules/push/configurations/schema.ts'
import type { EndpointHealth } from '../../../modules/webhooks/history/schema.ts'
import type { EndpointWithSecret } from '../../../modules/webhooks/schema.ts'
import { CommandError } from '../../io.ts'
import type { Api } from '../api.ts'
import type { Content } from '../item.ts'
import { type Kind, pickMembers, sortedTexts, textOf } from './kind.ts'

const APPLICATIONS = '/console/api/push/applications'
const ENDPOINTS = '/console/api/webhooks'
const DOCUMENTED_ENDPOINTS = '/v1/webhooks'

type Names = Pick<Configuration, 'android_package_name' | 'ios_bundle_id'>
/** Names of the app at Google and Apple. */
const NAMES = ['android_package_name', 'ios_bundle_id'] as const

async function setNames(api: Api, id: string, content: Content): Promise<void> {
  await api.send('PUT', `${APPLICATIONS}/${id}/configuration`, {
    android_package_name: content['android_package_name'] ?? null,
    ios_bundle_id: content['ios_bundle_id'] ?? null,
  })
}

/** Without credentials, which are secrets of the provider. */
export const pushApplications: Kind = {
  noun: 'push application',
  nameOf: (content) => `${textOf(content, 'name')}/${textOf(content, 'environment')}`,
  normalize: (content) => ({ type: 'flutter', ...content }),
  fixed: ['environment', 'type'],
  read: async ({ api }) =>
    await Promise.all(
      (await api.get<Application[]>(APPLICATIONS)).map(async ({ id, name, environment, type }) => {
        const names = await api.get<Names | null>(`${APPLICATIONS}/${id}/configuration`)
        const { android_package_name = null, ios_bundle_id = null } = names ?? {}
        const content = { name, environment, type, android_package_name, ios_bundle_id }
        return { id, name: `${name}/${environment}`, content }
      }),
    ),
  create: async ({ api }, content) => {
    const body = pickMembers(content, ['name', 'environment', 'type'])
    const { id } = await api.send<Application>('POST', APPLICATIONS, body)
    if (NAMES.some((name) => typeof content[name] === 'string')) await setNames(api, id, content)
    return { id }
  },
  change: async ({ api }, { id }, content, changed) => {
    if (changed.includes('name')) {
      await api.send('PATCH', `${APPLICATIONS}/${id}`, pickMembers(content, ['name']))
    }
    if (NAMES.some((name) => changed.includes(name))) await setNames(api, id, content)
  },
  remove: async ({ api }, { id }) => await api.remove(`${APPLICATIONS}/${id}`),
}

/** Members of the console API, in addition to the documented ones. */
const EXTRAS = ['filter', 'headers', 'rate_per_second']

function extrasOf(content: Content, names: readonly string[]): Record<string, unknown> {
  const chosen = EXTRAS.filter((name) => names.includes(name))
  const extras = pickMembers(content, chosen)
  // Without values, headers that exist keep theirs.
  const headers = headerNames(content).map((name) => ({ name }))
  return chosen.includes('headers') ? { ...extras, headers } : extras
}

const headerNames = ({ headers }: Content): string[] => [...((headers ?? []) as string[])].sort()

/** An endpoint is its URL and its mode. The values of its headers are secrets, which no file has. */
/** Endpoints of portals belong to customers. */
const isOwn = ({ portal_id }: EndpointHealth): boolean => portal_id === null

export const webhookEndpoints: Kind = {
  noun: 'webhook endpoint',
  nameOf: (content) => `${textOf(content, 'mode')} ${textOf(content, 'url')}`,
  normalize: (content) => ({
    description: '',
    status: 'active',
    filter: null,
    rate_per_second: null,
    ...content,
    headers: headerNames(content),
    events: sortedTexts(content['events']),
  }),
  read: async ({ api }) =>
    (await api.get<EndpointHealth[]>(ENDPOINTS)).filter(isOwn).map((endpoint) => {
      const { id, url, mode, events, description, status } = endpoint
      const { filter, header_names: headers, rate_per_second } = endpoint
      const content = { url, mode, events, description, status, filter, headers, rate_per_second }
      return { id, name: `${mode} ${url}`, content }
    }),
  create: async ({ api }, content) => {
    if (headerNames(content).length > 0) {
      throw new CommandError(
        `${textOf(content, 'url')} has headers, and files have no values for them: create it in the console first.`,
      )
    }
    const body = pickMembers(content, ['url', 'mode', 'events', 'description'])
    const { id, secret } = await api.send<EndpointWithSecret>('POST', ENDPOINTS, body)
    if (content['filter'] || content['rate_per_second']) {
      await api.send('PATCH', `${ENDPOINTS}/${id}`, extrasOf(content, EXTRAS))
    }
    if (content['status'] === 'paused') {
      await api.send('PATCH', `${DOCUMENTED_ENDPOINTS}/${id}`, { status: 'paused' })
    }
    return { id, secrets: { secret } }
  },
  change: async ({ api }, { id }, content, changed) => {
    const documented = changed.filter((name) => !EXTRAS.includes(name))
    const extras = extrasOf(content, changed)
    if (Object.keys(extras).length > 0) await api.send('PATCH', `${ENDPOINTS}/${id}`, extras)
    if (documented.length > 0) {
      await api.send('PATCH', `${DOCUMENTED_ENDPOINTS}/${id}`, pickMembers(content, documented))
    }
  },
  remove: async ({ api }, { id }) => await api.remove(`${DOCUMENTED_ENDPOINTS}/${id}`),
}
