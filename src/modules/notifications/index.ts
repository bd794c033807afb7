/**
 * Notifications: what happened, which channels are notified, and the messages to them.
 *
 * Any module reports something with `notify(tx, [...])` in the transaction of its cause, and ends what lasts
 * with `resolveNotifications(tx, [...])`. The subject is a line of `catalog.ts`. A notification that lasts is
 * reported once until it is resolved, under its `key`. Nothing else is needed: the dispatcher finds the row.
 */
export { createBrowsers } from './browsers/browsers.ts'
export { SEVERITIES, SUBJECT_NAMES } from './catalog.ts'
export { createChannels } from './channels.ts'
export { notificationRoutes } from './console.ts'
export { createNotificationDispatcher } from './dispatch.ts'
export { sweepNotifications } from './history.store.ts'
export { createHistory } from './history.ts'
export {
  muteRule,
  notificationWriter,
  notify,
  resolveNotifications,
} from './notify.store.ts'
export { createRoutes } from './routes.ts'
export { ruleAlerts } from './rule-alerts.ts'
export { createNotificationWatch } from './watch.ts'
