/**
 * Notifications: two apps, their credentials and subscribers, and messages that really went to the
 * emulated providers. The database dates what is sent by its own clock, so `backdate.ts` puts each
 * message where it belongs in the month.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createRandom, type Random } from '../../src/platform/random.ts'
import {
  APPS,
  type App,
  LOCALES,
  MESSAGES,
  REMOVED_PHONES,
  type StoryMessage,
  VERSIONS,
} from '../story/notifications.ts'
import { DAY_MS } from '../story/wall-clock.ts'
import { backdateMessage, backdateSubscriptions } from './backdate.ts'
import type { Filling } from './context.ts'

type Subscriber = {
  id: string
  user: string | undefined
  token: string
  platform: 'android' | 'ios'
}
type Installed = { app: App; application_id: string; subscribers: Subscriber[] }
type Sent = { id: string; at: number; told: StoryMessage }

const LEAST_PHONES = 4
const SIGNED_IN_SHARE = 0.6
const PATIENCE_MS = 30_000
const POLL_MS = 40

export async function pushMessages(filling: Filling): Promise<number> {
  const { services, clock, story } = filling
  const random = createRandom(story.options.seed, 'push')
  clock.follow()
  const installed: Installed[] = []
  for (const app of APPS) installed.push(await install(filling, app, random.fork(app.key)))
  const sent = await accept(filling, installed)
  clock.follow()
  removeApps(filling, installed)
  for (const each of services.push.running) each.start()
  for (const message of sent) await settled(filling, message)
  for (const message of sent) await tellReceipts(filling, message, random.fork(message.id))
  await breakCredential(filling, installed)
  for (const { id, at } of sent) await backdateMessage(filling.stores.db, id, new Date(at))
  await backdateSubscriptions(filling.stores.db, filling.people.org_id, story.span)
  return sent.length
}

async function install(
  { services, outside, people, story }: Filling,
  app: App,
  random: Random,
): Promise<Installed> {
  const { push } = services
  const { org_id } = people
  const { environment, name, android_package_name, ios_bundle_id } = app
  const { id: application_id } = await push.applications.create({
    org_id,
    type: 'flutter',
    environment,
    name,
  })
  await push.configurations.set({ org_id, application_id, android_package_name, ios_bundle_id })
  const key = apnsOf(outside, app).control.signingKey()
  await push.credentials.set({
    org_id,
    application_id,
    provider: 'fcm',
    service_account: outside.fcm.control.serviceAccount(),
  })
  await push.credentials.set({
    org_id,
    application_id,
    provider: 'apns',
    key: key.private_key,
    key_id: key.key_id,
    team_id: key.team_id,
  })
  const scaled = (count: number) =>
    Math.max(LEAST_PHONES, Math.round(count * Math.min(1, story.options.scale * 2)))
  const subscribers: Subscriber[] = []
  for (const platform of ['android', 'ios'] as const) {
    for (let left = scaled(app[platform]); left > 0; left -= 1) {
      const token = newPhone(outside, app, platform)
      const user = random.chance(SIGNED_IN_SHARE) ? random.pick(story.customers).id : undefined
      const key_of = { org_id, mode: environment }
      const identity =
        user === undefined
          ? undefined
          : await push.identity.issue(key_of, { application_id, external_user_id: user })
      const { id } = await push.subscriptions.register(org_id, {
        application_id,
        platform,
        token,
        permission: random.chance(0.94) ? 'granted' : 'denied',
        locale: random.pick(LOCALES),
        app_version: random.pick(VERSIONS),
        ...(identity && { identity_token: identity.identity_token }),
      })
      subscribers.push({ id, user, token, platform })
    }
  }
  for (const [provider, platform] of [
    ['fcm', 'android'],
    ['apns', 'ios'],
  ] as const) {
    const subscription_id = subscribers.find((each) => each.platform === platform)?.id
    await push.test_sends.send({ org_id, application_id, provider, subscription_id })
  }
  return { app, application_id, subscribers }
}

const apnsOf = ({ apns }: Filling['outside'], { environment }: App) =>
  environment === 'live' ? apns.production : apns.sandbox

function newPhone(outside: Filling['outside'], app: App, platform: Subscriber['platform']): string {
  if (platform === 'android') {
    return outside.fcm.control.makePhone({ package_name: app.android_package_name }).token
  }
  const { control } = apnsOf(outside, app)
  const { team_id } = control.signingKey()
  return control.makePhone({ bundle_id: app.ios_bundle_id, team_id }).token
}

/** All are accepted before any is sent: their ids tell their time, and that of what is sent must be now. */
async function accept(
  { services, clock, people, story }: Filling,
  installed: Installed[],
): Promise<Sent[]> {
  const { org_id } = people
  const { start, end } = story.span
  const sent: Sent[] = []
  for (const [index, told] of MESSAGES.entries()) {
    const at = inTheMorning(start + (told.at_share ?? 1) * (end - start))
    const { app, application_id, subscribers } =
      installed.find((each) => each.app.key === told.app) ?? {}
    if (!app || application_id === undefined || !subscribers) continue
    if (told.in_days === undefined) clock.standAt(at)
    else clock.follow()
    const users = [...new Set(subscribers.flatMap(({ user }) => user ?? []))].slice(0, told.users)
    const targets = told.users === undefined ? { all: true as const } : { external_user_ids: users }
    const send_at =
      told.in_days === undefined
        ? {}
        : { send_at: new Date(end + told.in_days * DAY_MS).toISOString() }
    const { answer } = await services.push.messages.create(
      { org_id, mode: app.environment },
      `demo-${index}`,
      {
        application_id,
        ...targets,
        ...told.content,
        ...send_at,
      },
    )
    if (told.in_days === undefined) sent.push({ id: answer.message_id, at, told })
  }
  return sent
}

/** Nobody sends offers in the night. */
function inTheMorning(at: number): number {
  const morning = at - (at % DAY_MS) + MORNING_MS
  return morning <= at ? morning : at
}

const MORNING_MS = 9.5 * 3_600_000

function removeApps({ outside }: Filling, installed: Installed[]): void {
  const shop = installed.find(({ app }) => app.key === 'shop')
  const gone =
    shop?.subscribers.filter(({ platform }) => platform === 'android').slice(-REMOVED_PHONES) ?? []
  for (const { token } of gone.slice(0, Math.ceil(gone.length / 2))) {
    outside.fcm.control.changePhone(token, { is_registered: false })
  }
}

async function settled({ services, people }: Filling, { id }: Sent): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const message = await services.push.operations.find(people.org_id, id)
    if (message?.completed_at) return
    if (performance.now() > deadline) throw new Error('a push message was not sent in time')
    await pause(POLL_MS)
  }
}

async function tellReceipts(
  { services, people }: Filling,
  { id, told }: Sent,
  random: Random,
): Promise<void> {
  const { org_id } = people
  const page = await services.push.operations.recipients(org_id, id, {
    limit: RECIPIENTS_MAX,
    status: 'accepted',
  })
  const receipts = (page?.recipients ?? []).flatMap(({ subscription_id }) => {
    if (!random.chance(told.received_share)) return []
    const receipt = { message_id: id, subscription_id }
    const isClicked = random.chance(told.clicked_share / told.received_share)
    return [
      { ...receipt, kind: 'received' as const },
      ...(isClicked ? [{ ...receipt, kind: 'clicked' as const }] : []),
    ]
  })
  if (receipts.length > 0) await services.push.receipts.record(org_id, receipts)
}

const RECIPIENTS_MAX = 500

/** The key of the staff app was revoked at Apple; a test has shown it, and nobody has uploaded another. */
async function breakCredential(
  { services, outside, people }: Filling,
  installed: Installed[],
): Promise<void> {
  const { org_id } = people
  const staff = installed.find(({ app }) => app.key === 'staff')
  if (!staff) return
  const { application_id, subscribers, app } = staff
  const { control } = apnsOf(outside, app)
  const key = control.addKey({ team_id: control.signingKey().team_id })
  await services.push.credentials.set({
    org_id,
    application_id,
    provider: 'apns',
    key: key.private_key,
    key_id: key.key_id,
    team_id: key.team_id,
  })
  const subscription_id = subscribers.find(({ platform }) => platform === 'ios')?.id
  const test = { org_id, application_id, provider: 'apns', subscription_id } as const
  await services.push.test_sends.send(test)
  control.changeKey(key.key_id, { is_revoked: true })
  await services.push.test_sends.send(test)
}
