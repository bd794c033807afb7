/** Log alert rules, notification channels and routes. */
import type { Alert } from '../../../modules/edge/alerts/schema.ts'
import type { ChannelWithSecret, ShownRoute } from '../../../modules/notifications/schema.ts'
import type { Content } from '../item.ts'
import { type Context, type Kind, pickMembers, textOf } from './kind.ts'

const ALERTS = '/v1/edge/alerts'
const ALERTS_IN_CONSOLE = '/console/api/edge/alerts'
const CHANNELS = '/console/api/notifications/channels'
const ROUTES = '/console/api/notifications/routes'

/** Members that the service adds to a rule. */
const STATE_OF_ALERT = ['id', 'status', 'muted_until', 'last_fired_at', 'last_resolved_at']

export const alertRules: Kind = {
  noun: 'log alert rule',
  nameOf: (content) => textOf(content, 'name'),
  normalize: (content) => ({ kind: 'count', ratio_percent: null, ...content }),
  read: async ({ api }) =>
    (await api.get<(Alert & Content)[]>(ALERTS)).map((alert) => ({
      id: alert.id,
      name: alert.name,
      content: Object.fromEntries(
        Object.entries(alert).filter(([member]) => !STATE_OF_ALERT.includes(member)),
      ),
    })),
  create: async ({ api }, content) => ({ id: (await api.send<Alert>('POST', ALERTS, content)).id }),
  change: async ({ api }, { id }, content) => {
    await api.send('PUT', `${ALERTS_IN_CONSOLE}/${id}`, content)
  },
  remove: async ({ api }, { id }) => await api.remove(ALERTS, { id }),
}

const SENT_OF_CHANNEL = ['name', 'kind', 'to', 'external_user_ids', 'per_hour_max']
const HIDDEN_OF_CHANNEL = ['url', 'routing_key']
const PER_HOUR_DEFAULT = 60

/** The body of a channel: references become secrets, and the application its id. */
function channelBody(context: Context, content: Content, members: readonly string[]): object {
  const hidden = HIDDEN_OF_CHANNEL.filter((member) => content[member] !== undefined)
  const secrets: Record<string, string> = Object.fromEntries(
    hidden.map((member) => [member, context.secretOf(textOf(content, member))]),
  )
  const { application } = content
  return {
    ...pickMembers(
      content,
      members.filter((member) => content[member] !== undefined),
    ),
    ...secrets,
    ...(typeof application === 'string' && {
      application_id: context.idOf('push_applications', `${application}/live`),
    }),
  }
}

export const notificationChannels: Kind = {
  noun: 'notification channel',
  nameOf: (content) => textOf(content, 'name'),
  normalize: (content) => ({ per_hour_max: PER_HOUR_DEFAULT, ...content }),
  exported: withReferences,
  hidden: HIDDEN_OF_CHANNEL,
  fixed: ['kind'],
  read: async ({ api, nameOf }) => {
    const { channels } = await api.get<{ channels: ChannelWithSecret[] }>(CHANNELS)
    return channels.map(({ id, name, kind, per_hour_max, config }) => {
      const { to, external_user_ids, application_id } = config
      const application =
        application_id && nameOf('push_applications', application_id)?.replace(/\/live$/, '')
      return {
        id,
        name,
        content: {
          name,
          kind,
          per_hour_max,
          ...(to && { to }),
          ...(external_user_ids && { external_user_ids }),
          ...(application !== undefined && application !== '' && { application }),
        },
      }
    })
  },
  create: async (context, content) => {
    const body = channelBody(context, content, SENT_OF_CHANNEL)
    const { id, secret } = await context.api.send<ChannelWithSecret>('POST', CHANNELS, body)
    return { id, ...(secret !== undefined && { secrets: { secret } }) }
  },
  change: async (context, { id }, content) => {
    const body = channelBody(
      context,
      content,
      SENT_OF_CHANNEL.filter((member) => member !== 'kind'),
    )
    await context.api.send('PATCH', `${CHANNELS}/${id}`, body)
  },
  remove: async ({ api }, { id }) => await api.remove(`${CHANNELS}/${id}`),
}

const URL_OF_CHANNEL = ['slack', 'teams', 'webhook']

function withReferences(content: Content): Content {
  const { kind } = content
  const name = textOf(content, 'name').toUpperCase()
  const variable = `${name.replaceAll(/[^A-Z0-9]+/g, '_')}_`.replace(/^(\d)/, '_$1')
  if (URL_OF_CHANNEL.includes(String(kind))) return { ...content, url: `\${${variable}URL}` }
  if (kind !== 'pagerduty') return content
  return { ...content, routing_key: `\${${variable}ROUTING_KEY}` }
}

const routeName = ({ subject, alert_rule }: Content): string =>
  typeof alert_rule === 'string'
    ? `log_alert/${alert_rule}`
    : typeof subject === 'string'
      ? subject
      : 'all others'

const setRoute = async (context: Context, content: Content): Promise<{ id: string }> => {
  const { channels, alert_rule } = content
  return await context.api.send<ShownRoute>('PUT', ROUTES, {
    ...pickMembers(content, ['subject', 'min_severity', 'repeat_minutes', 'quiet_hours']),
    channel_ids: (channels as string[]).map((name) => context.idOf('notification_channels', name)),
    rule_id: typeof alert_rule === 'string' ? context.idOf('alert_rules', alert_rule) : null,
  })
}

export const notificationRoutes: Kind = {
  noun: 'notification route',
  nameOf: routeName,
  normalize: (content) => ({
    repeat_minutes: 0,
    quiet_hours: null,
    alert_rule: null,
    ...content,
    subject: typeof content['alert_rule'] === 'string' ? 'log_alert' : (content['subject'] ?? null),
    channels: [...(content['channels'] as string[])].sort(),
  }),
  read: async ({ api, nameOf }) => {
    const { routes } = await api.get<{ routes: ShownRoute[] }>(ROUTES)
    return routes.map(({ id, rule_id, channel_ids, muted_until: _muted, ...rest }) => {
      const content = {
        ...rest,
        alert_rule: rule_id === null ? null : (nameOf('alert_rules', rule_id) ?? rule_id),
        channels: channel_ids.map((channel) => nameOf('notification_channels', channel) ?? channel),
      }
      return { id, name: routeName(content), content }
    })
  },
  create: setRoute,
  change: async (context, _live, content) => void (await setRoute(context, content)),
  remove: async ({ api }, { id }) => await api.remove(`${ROUTES}/${id}`),
}
