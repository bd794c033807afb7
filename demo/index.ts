/** Fills an installation with a month of a made-up chain of supermarkets, seeded, through the real services. */
import { judgeAlerts } from './fill/alerts.ts'
import type { DemoService, Filling, SignIn } from './fill/context.ts'
import { managePhones } from './fill/mdm.ts'
import { liveMonth } from './fill/month.ts'
import { leaveTraces, settleIn } from './fill/people.ts'
import { pushMessages } from './fill/push.ts'
import { tryRules } from './fill/rules.ts'
import { arrived, registerFleet, sendLogs, sendVisits } from './fill/telemetry.ts'
import { deliverAll, openEndpoints } from './fill/webhooks.ts'
import { tell } from './story/story.ts'

export { createStoryClock } from './clock.ts'
export type { DemoService, SignIn } from './fill/context.ts'
export { type Outside, startOutside } from './outside.ts'

export type DemoOptions = {
  seed?: number
  days?: number
  /** 1 is the whole story, 0.05 is for tests. */
  scale?: number
  /** When the story ends; default now. */
  end?: Date
  /** Told what is being done. */
  progress?: (line: string) => void
}

export type FilledDemo = {
  org_id: string
  owner: SignIn
  keys: Filling['people']['keys']
  counts: Record<string, number>
}

const SEED = 1
const DAYS = 30

/**
 * The services must have been made with the clock and the outside that are given with them. The clock
 * follows the system again when it is done.
 */
export async function fillDemo(demo: DemoService, options: DemoOptions = {}): Promise<FilledDemo> {
  const { clock, services } = demo
  const { seed = SEED, days = DAYS, scale = 1, progress = () => undefined } = options
  const end = (options.end ?? clock.now()).getTime()
  const story = tell({ seed, days, scale, end })
  try {
    demo.stores.analytics.start()
    for (const flusher of services.telemetry.flushers) flusher.start()
    clock.standAt(story.span.start)
    const people = await settleIn(demo)
    const filling: Filling = { ...demo, story, people, progress }
    const endpoints = await openEndpoints(demo, people)
    progress(`Orders, cashiers and checks of ${days} days`)
    const month = await liveMonth(filling)
    progress('Logs of the devices')
    await registerFleet(filling)
    const logs = await sendLogs(filling)
    progress('Visits of the web shop')
    const rum = await sendVisits(filling)
    await leaveTraces(filling)
    progress('Managed phones')
    const phones = await managePhones(filling)
    progress('Notifications')
    const messages = await pushMessages(filling)
    progress('Webhooks')
    const deliveries = await deliverAll(filling, endpoints)
    await arrived(demo)
    const alerts = await judgeAlerts(filling)
    await tryRules(filling)
    const { org_id, owner, keys } = people
    return {
      org_id,
      owner,
      keys,
      counts: { ...month, logs, rum, phones, messages, deliveries, alerts },
    }
  } finally {
    clock.follow()
  }
}
