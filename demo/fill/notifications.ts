/** Channels of the organization, by e-mail and Slack, and a route to both. The emulators receive what is sent. */
import { createApi } from './api.ts'
import type { DemoService, People } from './context.ts'

type Listed = { id: string; name: string; kind: string }

const PATH = '/console/api/notifications'
const TO = 'operations@northwind.example'

/** Creates them once. After a restart, the emulator of Slack has another port. */
export async function connectChannels(
  demo: Pick<DemoService, 'app' | 'services' | 'emulators'>,
  { org_id, owner }: Pick<People, 'org_id' | 'owner'>,
): Promise<void> {
  const { app, services, emulators } = demo
  const [user] = await services.accounts.listUsers(owner.email, org_id)
  const api = createApi({ app, services, people: { org_id, owner_id: user?.id ?? '' } })
  const url = `${emulators.slack.url}/services/T0/B0/northwind`
  const { channels } = await api<{ channels: Listed[] }>('GET', `${PATH}/channels`)
  const slack = channels.find(({ kind }) => kind === 'slack')
  if (slack) {
    await api('PATCH', `${PATH}/channels/${slack.id}`, { org_id, url })
    return
  }
  const create = async (channel: object) =>
    await api<Listed>('POST', `${PATH}/channels`, { org_id, ...channel })
  const created = [
    await create({ kind: 'email', name: 'Operations', to: [TO] }),
    await create({ kind: 'slack', name: 'Slack of the stores', url }),
  ]
  const channel_ids = created.map(({ id }) => id)
  await api('PUT', `${PATH}/routes`, { org_id, channel_ids, min_severity: 'warning' })
}
