/**
 * Subjects that people can be notified of. A new subject is a line here, and a call of `notify` in the transaction that
 * causes it.
 */

export const SEVERITIES = ['notice', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

type Subject = {
  /** Name in lists of routes and of the history. */
  name: string
  /** Title of a message about several. */
  several: (count: number) => string
}

export const SUBJECTS = {
  log_alert: { name: 'Log alerts', several: (n) => `${n} log alerts` },
  webhook_failing: {
    name: 'Webhook endpoints that fail',
    several: (n) => `${n} webhook endpoints fail`,
  },
  webhook_paused: {
    name: 'Webhook endpoints that were paused',
    several: (n) => `${n} webhook endpoints were paused`,
  },
  push_credential: {
    name: 'Push credentials that are refused',
    several: (n) => `${n} push credentials are refused`,
  },
  device_non_compliant: {
    name: 'Managed devices that do not comply',
    several: (n) => `${n} managed devices do not comply with their policy`,
  },
  device_silent: {
    name: 'Managed devices that are silent',
    several: (n) => `${n} managed devices have not reported`,
  },
  credits_low: { name: 'Credits that run low', several: (n) => `${n} balances are low` },
  credits_used_up: {
    name: 'Credits that are used up',
    several: (n) => `${n} balances are used up`,
  },
  logs_delayed: {
    name: 'Logs and events that cannot be stored or read',
    several: (n) => `Logs and events cannot be stored or read (${n})`,
  },
  case_overdue: {
    name: 'Cases that wait too long',
    several: (n) => `${n} cases wait longer than their time limit`,
  },
  case_critical: { name: 'Critical cases', several: (n) => `${n} cases are critical` },
  rule_alert: { name: 'Alerts of custom rules', several: (n) => `${n} alerts of custom rules` },
  member_privileged: {
    name: 'New owners and admins',
    several: (n) => `${n} members became owner or admin`,
  },
  new_browser: {
    name: 'Sign-ins from new browsers',
    several: (n) => `${n} sign-ins from new browsers`,
  },
  provider_bypassed: {
    name: 'Sign-ins without the required provider',
    several: (n) => `${n} sign-ins without the required provider`,
  },
  key_rolled: { name: 'API keys that were rolled', several: (n) => `${n} API keys were rolled` },
  daily_digest: { name: 'Digest of the day', several: (n) => `${n} digests` },
} as const satisfies Record<string, Subject>

export type SubjectName = keyof typeof SUBJECTS
export const SUBJECT_NAMES = Object.keys(SUBJECTS) as SubjectName[]

/** @returns the name of a subject, also of one that a later version wrote */
export const nameOfSubject = (subject: string): string =>
  Object.hasOwn(SUBJECTS, subject) ? SUBJECTS[subject as SubjectName].name : subject

export const rankOf = (severity: Severity): number => SEVERITIES.indexOf(severity)

/** @returns the title of a message about several notifications of a subject */
export function titleOfSeveral(subject: string, count: number): string {
  const known = Object.hasOwn(SUBJECTS, subject) ? SUBJECTS[subject as SubjectName] : undefined
  return known?.several(count) ?? `${count} notifications`
}
