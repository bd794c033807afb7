/** The values of the form of a channel, and the members of the request that follow from them. */
import type { Channel } from '../../../../src/modules/notifications/schema.ts'
import type { Kind } from './api.ts'

export type ChannelValues = {
  kind: Kind
  name: string
  per_hour_max: string
  /** One e-mail address per line. */
  to: string
  url: string
  routing_key: string
  application_id: string
  /** One ID per line. */
  external_user_ids: string
}

const PER_HOUR_DEFAULT = 60

export function valuesOf(channel: Channel | undefined): ChannelValues {
  const { to = [], application_id = '', external_user_ids = [] } = channel?.config ?? {}
  return {
    kind: channel?.kind ?? 'email',
    name: channel?.name ?? '',
    per_hour_max: String(channel?.per_hour_max ?? PER_HOUR_DEFAULT),
    to: to.join('\n'),
    url: '',
    routing_key: '',
    application_id,
    external_user_ids: external_user_ids.join('\n'),
  }
}

/** Empty values are left out, and so are those of other kinds. */
export function targetOf(values: ChannelValues): object {
  const { kind, to, url, routing_key, application_id, external_user_ids } = values
  const present = (members: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(members).flatMap(([name, text]) =>
        text.trim() === '' ? [] : [[name, text.trim()]],
      ),
    )
  switch (kind) {
    case 'email':
      return { to: linesOf(to) }
    case 'push':
      return {
        ...present({ application_id }),
        external_user_ids: linesOf(external_user_ids),
      }
    case 'pagerduty':
      return present({ routing_key, url })
    case 'browser':
      return {}
    case 'slack':
    case 'teams':
    case 'webhook':
      return present({ url })
  }
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
