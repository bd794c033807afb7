/** Reports that log alerts fire and end, in the transaction that writes their state. */
import type { Db } from '../../../platform/postgres/db.ts'
import { notify, resolveNotifications } from '../../notifications/index.ts'
import type { Transition } from './state.ts'
import type { AlertRow } from './store.ts'

export type Changed = { rule: AlertRow; transitions: readonly Transition[] }

/** A rule can fire and end several times after an outage: each time is reported, in order. */
export async function reportTransitions(tx: Db, changed: readonly Changed[]): Promise<void> {
  const rounds = Math.max(0, ...changed.map(({ transitions }) => transitions.length))
  for (let round = 0; round < rounds; round += 1) {
    const now = changed.flatMap(({ rule, transitions }) => {
      const transition = transitions[round]
      return transition ? [{ rule, ...transition }] : []
    })
    const fired = now.filter(({ kind }) => kind === 'fired')
    await notify(
      tx,
      fired.map(({ rule, at }) => ({
        org_id: rule.org_id,
        subject: 'log_alert',
        key: rule.id,
        severity: 'critical',
        is_lasting: true,
        title: `Log alert "${rule.name}" fires`,
        detail: detailOf(rule),
        link: '/logs/alerts',
        rule_id: rule.id,
        started_at: at,
      })),
    )
    await endAlerts(
      tx,
      now.filter(({ kind }) => kind === 'resolved'),
    )
  }
}

type Ended = { rule: Pick<AlertRow, 'org_id' | 'id'>; at: Date }

export async function endAlerts(tx: Db, ended: readonly Ended[]): Promise<void> {
  await resolveNotifications(
    tx,
    ended.map(({ rule, at }) => ({
      org_id: rule.org_id,
      subject: 'log_alert',
      key: rule.id,
      resolved_at: at,
    })),
  )
}

function detailOf({ threshold, window_minutes }: AlertRow): string {
  const logs = threshold === 1 ? '1 log or more' : `${threshold} logs or more`
  return `${logs} in ${window_minutes} ${window_minutes === 1 ? 'minute' : 'minutes'}`
}
