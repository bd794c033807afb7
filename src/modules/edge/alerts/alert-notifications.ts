/** Reports that log alerts fire and end, and writes their history, in the transaction that writes their state. */
import type { Db } from '../../../platform/postgres/db.ts'
import { muteRule, notify, resolveNotifications } from '../../notifications/index.ts'
import { endFiring, insertFiring } from './firings.store.ts'
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
        muted_until: rule.muted_until,
        started_at: at,
      })),
    )
    for (const { rule, at } of fired) await insertFiring(tx, rule, at)
    const ended = now.filter(({ kind }) => kind === 'resolved')
    await endAlerts(tx, ended)
    for (const { rule, at } of ended) await endFiring(tx, rule, at)
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

/** Nothing is sent about what lasts until the mute of its rule ends. */
export async function muteNotifications(tx: Db, rule: AlertRow): Promise<void> {
  await muteRule(tx, { org_id: rule.org_id, rule_id: rule.id, until: rule.muted_until })
}

/** "24 hours", "90 minutes". */
function windowText(minutes: number): string {
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

function detailOf({ kind, threshold, window_minutes, ratio_percent }: AlertRow): string {
  const time = `in ${windowText(window_minutes)}`
  if (kind === 'new_group') {
    return threshold === 1
      ? `A new error group ${time}`
      : `${threshold} new error groups or more ${time}`
  }
  if (kind === 'absence') {
    return threshold === 1 ? `No log ${time}` : `Fewer than ${threshold} logs ${time}`
  }
  const logs = threshold === 1 ? '1 log or more' : `${threshold} logs or more`
  return kind === 'ratio' ? `${logs} ${time}, at least ${ratio_percent}% of all` : `${logs} ${time}`
}
