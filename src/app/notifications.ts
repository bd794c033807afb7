/** Notifications: channels, routes, and the dispatcher of messages. */
import {
  createBrowsers,
  createChannels,
  createHistory,
  createNotificationDispatcher,
  createNotificationWatch,
  createRoutes,
  notificationRoutes,
  sweepNotifications,
} from '../modules/notifications/index.ts'
import { newSecret, signedHeaders } from '../modules/webhooks/index.ts'
import { MINUTE_SECONDS } from '../platform/time-units.ts'
import { type Core, pick } from './core.ts'
import { openGuardedPost } from './guarded-post.ts'
import { openMailer, siteOf } from './mail.ts'
import { countedSweep, daysBefore, job, type Part } from './part.ts'
import type { PushPart } from './push.ts'

export type NotificationsPart = Part

export function createNotificationsPart(
  core: Core,
  { push }: { push: Pick<PushPart, 'messages' | 'applications'> },
): NotificationsPart {
  const { directory, db, sealer, clock, newId, log, config, metrics } = core
  const { audit } = core.directoryWriters
  const mailer = openMailer(config)
  const guarded = openGuardedPost(core)
  const site = siteOf(config)
  const sending = {
    db,
    directory,
    sealer,
    clock,
    mailer,
    post: guarded.post,
    sign: signedHeaders,
    pagesOf: (orgId: string) => `${site}/console/o/${orgId}`,
    push: async (
      org_id: string,
      key: string,
      request: Parameters<typeof push.messages.create>[2],
    ) => {
      const { answer } = await push.messages.create({ org_id, mode: 'live' }, key, request)
      return { message_id: answer.message_id }
    },
  }
  const dispatcher = createNotificationDispatcher({
    ...sending,
    newId,
    log,
    poll_ms: config.notification_poll_ms,
    observe: (verdict) => metrics.countAttempt('notification', verdict),
  })
  const hint = core.relay('notifications', dispatcher.hint)
  const acting = { db, clock, newId, audit, has_mailer: mailer !== undefined }
  const targets = {
    ...sending,
    ...acting,
    checkUrl: guarded.check,
    newSecret,
    hasApplication: async (orgId: string, id: string) => {
      const application = await push.applications.find(orgId, id)
      return application?.environment === 'live'
    },
  }
  const watch = createNotificationWatch({
    db,
    directory,
    isAnalyticsAvailable: core.analytics.isAvailable,
  })
  return {
    routes: (app) =>
      notificationRoutes(app, {
        channels: createChannels(targets),
        browsers: createBrowsers(targets),
        routes: createRoutes(acting),
        history: createHistory({ ...pick(core, 'db', 'directory', 'clock'), hint }),
      }),
    dispatchers: [dispatcher],
    jobs: [
      job('notifications.watch', config.notification_watch_seconds, (now) => watch.minutely(now)),
      job('notifications.slow', 15 * MINUTE_SECONDS, (now) => watch.quarterly(now)),
    ],
    sweeps: (now) => [
      countedSweep('notifications', () =>
        sweepNotifications(db, daysBefore(now, config.notification_retention_days)),
      ),
    ],
    // Tests of channels open connections even in processes without a dispatcher.
    close: guarded.close,
  }
}
