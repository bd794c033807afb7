import type { NewRoute } from '../../../../src/modules/notifications/schema.ts'

export type Subject = NonNullable<NewRoute['subject']>
export type Severity = NewRoute['min_severity']

export const SUBJECT_NAMES: Record<Subject, string> = {
  log_alert: 'Log alerts',
  webhook_failing: 'Webhook endpoints that fail',
  webhook_paused: 'Webhook endpoints that were paused',
  push_credential: 'Push credentials that are refused',
  device_non_compliant: 'Managed devices that do not comply',
  device_silent: 'Managed devices that are silent',
  credits_low: 'Credits that run low',
  credits_used_up: 'Credits that are used up',
  logs_delayed: 'Logs and events that cannot be stored or read',
  case_overdue: 'Cases that wait too long',
  case_critical: 'Critical cases',
  rule_alert: 'Alerts of custom rules',
  member_privileged: 'New owners and admins',
  new_browser: 'Sign-ins from new browsers',
  provider_bypassed: 'Sign-ins without the required provider',
  key_rolled: 'API keys that were rolled',
  daily_digest: 'Digest of the day',
}

export const ALL_OTHERS = 'All other subjects'

/** @param subject null stands for all others */
export function subjectName(subject: string | null): string {
  if (subject === null) return ALL_OTHERS
  const names: Partial<Record<string, string>> = SUBJECT_NAMES
  return names[subject] ?? subject
}

/** The severities that a route sends, by its least one. */
export const SEVERITY_NAMES: Record<Severity, string> = {
  notice: 'all',
  warning: 'warning and critical',
  critical: 'critical only',
}
