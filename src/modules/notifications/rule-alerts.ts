/** Notifications of the rules that ask for an alert. Orders have reviews and events for that instead. */
import type { Owner } from '../../platform/owner.ts'
import { alertsOfRules } from '../custom-rules/index.ts'
import type { Adjustment } from '../risk/index.ts'
import type { NewNotification } from './notify.store.ts'

type Alerted = Owner & {
  adjustments: readonly Adjustment[]
  /** Each rule reports it once a day. No message names it. */
  identity: string
  /** Such as `check`. */
  noun: string
  score: number
  /** Path below the pages of the organization. */
  link: string
  at: Date
}

/** Test data alerts no one. */
export function ruleAlerts({
  org_id,
  mode,
  adjustments,
  at,
  ...about
}: Alerted): NewNotification[] {
  if (mode !== 'live') return []
  const day = at.toISOString().slice(0, 10)
  return alertsOfRules(adjustments).map((rule) => ({
    org_id,
    subject: 'rule_alert',
    key: `${day} ${about.identity} ${rule}`,
    severity: 'warning',
    is_lasting: false,
    title: `A ${about.noun} matches the rule “${rule}”`,
    detail: `Its score is ${about.score}.`,
    link: about.link,
    started_at: at,
  }))
}
