import type { Channel } from '../../../../src/modules/notifications/schema.ts'
import type { Call } from '../../api/client.ts'
import { type ChangeOptions, useChange, useRead } from '../../api/read.ts'
import { useOrg } from '../../shell/organization.ts'

export const NOTIFICATIONS = '/console/api/notifications'

export type Kind = Channel['kind']

export const KIND_NAMES: Record<Kind, string> = {
  email: 'E-mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
  webhook: 'Webhook',
  push: 'Push',
  browser: 'Browser',
}

export const REFRESH_MS = 15_000

export const useChannels = () =>
  useRead<{ channels: Channel[] }>(
    `${NOTIFICATIONS}/channels`,
    { org_id: useOrg().id },
    { refresh_ms: REFRESH_MS },
  )

type NotificationCall = Omit<Call, 'path' | 'query' | 'body'> & {
  /** Below the notifications: `/channels`. */
  path: string
  body?: object
}

/** A change for the organization, which invalidates all queries of notifications. */
export function useNotificationChange<Result = unknown, Input = void>(
  callOf: (input: Input) => NotificationCall,
  options: ChangeOptions<Input, Result> = {},
) {
  const { id: org_id } = useOrg()
  return useChange<Input, Result>(
    (input) => {
      const { path, body, ...call } = callOf(input)
      const place = { ...call, path: NOTIFICATIONS + path }
      return call.method === 'DELETE'
        ? { ...place, query: { org_id } }
        : { ...place, body: { org_id, ...body } }
    },
    { invalidates: [NOTIFICATIONS], ...options },
  )
}
