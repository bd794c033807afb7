/**
 * Fills an installation with a month of a made-up supermarket chain, seeded, through the real services.
 */
import { createAlertRules } from './fill/alerts.ts'
import type { DemoService, FillContext, SignIn } from './fill/context.ts'
import { manageDevices } from './fill/mdm.ts'
import { replayMonth } from './fill/month.ts'
import { connectChannels } from './fill/notifications.ts'
import { createInvitation, createOrganization, createSavedSearches } from './fill/people.ts'
import { sendPushMessages } from './fill/push.ts'
import { startRulesReplay } from './fill/rules.ts'
import { registerDevices, sendLogs, sendVisits, startAnalytics } from './fill/telemetry.ts'
import { createDemoPortal, createEndpoints, deliverEvents } from './fill/webhooks.ts'
import { simulateStory } from './story/story.ts'

export { createStoryClock } from './clock.ts'
export { type DemoEmulators, startEmulators } from './emulators.ts'

export type DemoOptions = {
  seed?: number
  days?: number
  /** 1 is the full volume; tests use 0.05. */
  scale?: number
  /** End of the story; now by default. */
  end?: Date
  progress?: (line: string) => void
}

export type FilledDemo = {
  org_id: string
  owner: SignIn
  keys: FillContext['people']['keys']
  counts: Record<string, number>
}

const SEED = 1
const DAYS = 30

/** The clock of the service follows the system again afterwards. */
export async function fillDemo(demo: DemoService, options: DemoOptions = {}): Promise<FilledDemo> {
  const { clock } = demo
  const { seed = SEED, days = DAYS, scale = 1, progress = () => undefined } = options
  const end = (options.end ?? clock.now()).getTime()
  const story = simulateStory({ seed, days, scale, end })
  try {
    startAnalytics(demo)
    clock.freezeAt(story.span.start)
    const people = await createOrganization(demo)
    const context: FillContext = { ...demo, story, people, progress }
    const endpoints = await createEndpoints(demo, people)
    await createDemoPortal(demo, people)
    progress(`Orders, cashiers and checks of ${days} days`)
    const month = await replayMonth(context)
    await registerDevices(context)
    const logs = await sendLogs(context)
    const rum = await sendVisits(context)
    await createInvitation(context)
    await createSavedSearches(context)
    progress('Managed devices')
    const phones = await manageDevices(context)
    progress('Push messages')
    const messages = await sendPushMessages(context)
    progress('Webhooks')
    const deliveries = await deliverEvents(context, endpoints)
    const alerts = await createAlertRules(context)
    await connectChannels(demo, people)
    await startRulesReplay(context)
    const { org_id, owner, keys } = people
    const counts = { ...month, logs, rum, phones, messages, deliveries, alerts }
    return { org_id, owner, keys, counts }
  } finally {
    clock.follow()
  }
}
