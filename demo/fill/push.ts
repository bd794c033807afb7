/**
 * Push messages: two apps, their credentials and subscribers, and messages that were really sent to the
 * emulated providers. The database dates them by its own clock, so `backdate.ts` moves each one to its
 * time in the month.
 */
import { createRandom, type Random } from '../../src/platform/random.ts'
import { DAY_MS, HOUR_MS, startOfDay } from '../../world/time.ts'
import {
  APPS,
  type App,
  LOCALES,
  MESSAGES,
  REMOVED_PHONES,
  type StoryMessage,
  VERSIONS,
} from '../story/notifications.ts'
import { backdateMessage, backdateSubscriptions } from './backdate.ts'
import type { FillContext } from './context.ts'
import { waitFor } from './wait.ts'

type Platform = 'android' | 'ios'
type Subscriber = { id: string; user: string | undefined; token: string; platform: Platform }
type InstalledApp = { app: App; application_id: string; subscribers: Subscriber[] }
type Sent = { id: string; at: number; message: StoryMessage }

const PHONES_MIN = 4
const SIGNED_IN_SHARE = 0.6
const GRANTED_SHARE = 0.94
const RECIPIENTS_MAX = 500
/** Messages are not sent at night. */
const MORNING_MS = 9.5 * HOUR_MS

/** Returns the number of messages. */
export async function sendPushMessages(context: FillContext): Promise<number> {
  const { services, clock, story, stores, people } = context
  const random = createRandom(story.options.seed, 'push')
  clock.follow()
  const apps: InstalledApp[] = []
  for (const app of APPS) apps.push(await install(context, app, random.fork(app.key)))
  const sent = await acceptMessages(context, apps)
  clock.follow()
  removeApps(context, apps)
  for (const each of services.push.running) each.start()
  for (const { id } of sent) {
    await waitFor('a push message to be sent', async () => {
      const message = await services.push.operations.find(people.org_id, id)
      return message?.completed_at ?? undefined
    })
  }
  for (const message of sent) await recordReceipts(context, message, random.fork(message.id))
  await revokeCredential(context, apps)
  for (const { id, at } of sent) await backdateMessage(stores.db, id, new Date(at))
  await backdateSubscriptions(stores.db, people.org_id, story.span)
  return sent.length
}

async function install(context: FillContext, app: App, random: Random): Promise<InstalledApp> {
  const { services, emulators, people, story } = context
  const { push } = services
  const { org_id } = people
  const { environment, name, android_package_name, ios_bundle_id } = app
  const created = await push.applications.create({ org_id, type: 'flutter', environment, name })
  const application_id = created.id
  const target = { org_id, application_id }
  const owner = { org_id, mode: environment }
  await push.configurations.set({ ...target, android_package_name, ios_bundle_id })
  const service_account = emulators.fcm.control.serviceAccount()
  await push.credentials.set({ ...target, provider: 'fcm', service_account })
  await setApnsKey(context, target, apnsOf(emulators, app).control.signingKey())
  const subscribers: Subscriber[] = []
  const share = Math.min(1, story.options.scale * 2)
  for (const platform of ['android', 'ios'] as const) {
    for (let left = Math.max(PHONES_MIN, Math.round(app[platform] * share)); left > 0; left -= 1) {
      const user = random.chance(SIGNED_IN_SHARE)
        ? random.pick(story.chain.customers).id
        : undefined
      const token = createPhone(emulators, app, platform)
      const assertion =
        user === undefined
          ? undefined
          : await push.identity.issue(owner, { application_id, external_user_id: user })
      const { id } = await push.subscriptions.register(org_id, {
        application_id,
        platform,
        token,
        permission: random.chance(GRANTED_SHARE) ? 'granted' : 'denied',
        locale: random.pick(LOCALES),
        app_version: random.pick(VERSIONS),
        ...(assertion && { identity_token: assertion.identity_token }),
      })
      subscribers.push({ id, user, token, platform })
    }
  }
  const testSend = async (provider: 'fcm' | 'apns', platform: Platform) => {
    const subscription_id = subscribers.find((each) => each.platform === platform)?.id
    await push.test_sends.send({ ...target, provider, subscription_id })
  }
  await testSend('fcm', 'android')
  await testSend('apns', 'ios')
  return { app, application_id, subscribers }
}

type Emulators = FillContext['emulators']
type ApnsKey = ReturnType<Emulators['apns']['sandbox']['control']['signingKey']>

const apnsOf = ({ apns }: Emulators, { environment }: App) =>
  environment === 'live' ? apns.production : apns.sandbox

async function setApnsKey(
  { services }: FillContext,
  target: { org_id: string; application_id: string },
  { private_key: key, key_id, team_id }: ApnsKey,
): Promise<void> {
  await services.push.credentials.set({ ...target, provider: 'apns', key, key_id, team_id })
}

/** Returns the token of the phone. */
function createPhone(emulators: Emulators, app: App, platform: Platform): string {
  const { android_package_name: package_name, ios_bundle_id: bundle_id } = app
  if (platform === 'android') return emulators.fcm.control.makePhone({ package_name }).token
  const { control } = apnsOf(emulators, app)
  return control.makePhone({ bundle_id, team_id: control.signingKey().team_id }).token
}

/**
 * All messages are accepted before any is sent: ids contain the time, and that of sending has to be
 * now.
 */
async function acceptMessages(
  { services, clock, people, story }: FillContext,
  apps: readonly InstalledApp[],
): Promise<Sent[]> {
  const { start, end } = story.span
  const sent: Sent[] = []
  for (const [index, message] of MESSAGES.entries()) {
    const installed = apps.find(({ app }) => app.key === message.app)
    if (!installed) continue
    const { app, application_id, subscribers } = installed
    const { in_days, users: count, content } = message
    const at = inTheMorning(start + (message.at_share ?? 1) * (end - start))
    if (in_days === undefined) clock.freezeAt(at)
    else clock.follow()
    const users = new Set(subscribers.flatMap(({ user }) => user ?? []))
    const { answer } = await services.push.messages.create(
      { org_id: people.org_id, mode: app.environment },
      `demo-${index}`,
      {
        application_id,
        ...(count === undefined
          ? { all: true as const }
          : { external_user_ids: [...users].slice(0, count) }),
        ...content,
        ...(in_days !== undefined && { send_at: new Date(end + in_days * DAY_MS).toISOString() }),
      },
    )
    if (in_days === undefined) sent.push({ id: answer.message_id, at, message })
  }
  return sent
}

const inTheMorning = (at: number): number => Math.min(at, startOfDay(at) + MORNING_MS)

function removeApps({ emulators }: FillContext, apps: readonly InstalledApp[]): void {
  const shop = apps.find(({ app }) => app.key === 'shop')
  const phones = shop?.subscribers.filter(({ platform }) => platform === 'android') ?? []
  for (const { token } of phones.slice(-REMOVED_PHONES)) {
    emulators.fcm.control.changePhone(token, { is_registered: false })
  }
}

async function recordReceipts(
  { services, people }: FillContext,
  { id, message }: Sent,
  random: Random,
): Promise<void> {
  const { org_id } = people
  const { received, clicked } = message.shares
  const page = { limit: RECIPIENTS_MAX, status: 'accepted' } as const
  const found = await services.push.operations.recipients(org_id, id, page)
  const receipts = (found?.recipients ?? []).flatMap(({ subscription_id }) => {
    if (!random.chance(received)) return []
    const receipt = { message_id: id, subscription_id, kind: 'received' as const }
    const isClicked = random.chance(clicked / received)
    return isClicked ? [receipt, { ...receipt, kind: 'clicked' as const }] : [receipt]
  })
  if (receipts.length > 0) await services.push.receipts.record(org_id, receipts)
}

/**
 * The key of the staff app was revoked at Apple. A test send has shown it, and no one has uploaded
 * another key.
 */
async function revokeCredential(
  context: FillContext,
  apps: readonly InstalledApp[],
): Promise<void> {
  const { services, emulators, people } = context
  const staff = apps.find(({ app }) => app.key === 'staff')
  if (!staff) return
  const target = { org_id: people.org_id, application_id: staff.application_id }
  const { control } = apnsOf(emulators, staff.app)
  const key = control.addKey({ team_id: control.signingKey().team_id })
  await setApnsKey(context, target, key)
  const subscription_id = staff.subscribers.find(({ platform }) => platform === 'ios')?.id
  const test = { ...target, provider: 'apns', subscription_id } as const
  await services.push.test_sends.send(test)
  control.changeKey(key.key_id, { is_revoked: true })
  await services.push.test_sends.send(test)
}
