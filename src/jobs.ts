/** What a worker does by itself. A part of the diagram in app.ts. */
import type { Services } from './app.ts'
import type { Config } from './config.ts'
import { deviceManagementJobs } from './device-management.ts'
import { sweepRequests } from './modules/requests/index.ts'
import { createSchedule, type Schedule } from './platform/schedule.ts'
import { pushJobs } from './push.ts'
import { sweepAll } from './retention.ts'
import type { Stores } from './stores.ts'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600
/** Somebody looks on who has just asked for one. */
const REPLAYS_SECONDS = 1
const DISPATCH_DRAIN_MS = 2000

/** Recurring work, and the sending of all that leaves. */
export function startJobs(
  stores: Stores,
  services: Services,
  config: Config,
): Pick<Schedule, 'stop'> {
  const { db, log, clock } = stores
  const schedule = createSchedule({ log, clock })
  schedule.every({
    name: 'billing.post_usage',
    interval_seconds: config.billing_interval_seconds,
    run: async (now, signal) => {
      const posted = await services.billing.postUsage(now, signal)
      if (posted.rows > 0) log.info(posted, 'usage debited')
    },
  })
  schedule.every({
    name: 'retention',
    interval_seconds: HOUR_SECONDS,
    run: (now, signal) => sweepAll(db, config, log, now, signal),
  })
  schedule.every({
    name: 'requests.sweep',
    interval_seconds: 10 * MINUTE_SECONDS,
    run: (now) => sweepRequests(db, now),
  })
  schedule.every({
    name: 'edge.alerts',
    interval_seconds: MINUTE_SECONDS,
    run: async (now, signal) => {
      await services.telemetry.alerts.evaluate(now, signal)
    },
  })
  schedule.every({
    name: 'volume.fold',
    interval_seconds: MINUTE_SECONDS,
    run: (now, signal) => services.volumes.fold(now, signal),
  })
  schedule.every({
    name: 'rules.replays',
    interval_seconds: REPLAYS_SECONDS,
    run: (_now, signal) => services.rules_replays.run(signal),
  })
  const { webhook_dispatcher, telemetry, device_management, push } = services
  deviceManagementJobs(schedule, device_management)
  pushJobs(schedule, push)
  const dispatchers = [
    webhook_dispatcher,
    ...telemetry.flushers,
    ...device_management.running,
    ...push.running,
  ]
  for (const dispatcher of dispatchers) dispatcher.start()
  return {
    stop: async () => {
      const stopped = dispatchers.map((dispatcher) => dispatcher.stop(DISPATCH_DRAIN_MS))
      await Promise.all([schedule.stop(), ...stopped])
    },
  }
}
