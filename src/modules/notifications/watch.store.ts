/**
 * Compares states with what is reported about them. A state is committed with its cause, so a process that dies
 * misses none: the next run finds the difference. What comes and goes between two runs is not reported.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { Severity, SubjectName } from './catalog.ts'

export type Watched = {
  subject: SubjectName
  severity: Severity
  /** Selects org_id, key, title, detail, link and started_at of everything in this state. */
  current: RawBuilder<unknown>
}

const REPORTED_MAX = 1000

/** @returns false while another process does it */
export async function lockWatch(tx: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ is_free: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as is_free`.execute(tx)
  return rows[0]?.is_free === true
}

/** Since when the analytics engine does not respond, for as long as it does not. */
const ANALYTICS = 'notifications.analytics'

export async function noteAnalytics(tx: Db, isAvailable: boolean): Promise<void> {
  if (isAvailable)
    await sql`delete from notification_progress where name = ${ANALYTICS}`.execute(tx)
  else {
    await sql`insert into notification_progress (name, until) values (${ANALYTICS}, now())
      on conflict do nothing`.execute(tx)
  }
}

export async function compare(tx: Db, { subject, severity, current }: Watched): Promise<void> {
  await sql`
    insert into notifications (org_id, id, subject, key, severity, is_lasting, title, detail, link,
      started_at, due_at)
    select org_id, new_time_id(), ${subject}, key, ${severity}, true, left(title, 300),
      left(detail, 2000), link, started_at, now()
    from (${current}) as c (org_id, key, title, detail, link, started_at)
    where not exists (select from notifications n where n.org_id = c.org_id and n.subject = ${subject}
      and n.key = c.key and n.resolved_at is null)
    limit ${sql.lit(REPORTED_MAX)}
    on conflict (org_id, subject, key) where resolved_at is null do nothing`.execute(tx)
  await sql`
    update notifications n set resolved_at = greatest(now(), n.started_at), due_at = now()
    where n.subject = ${subject} and n.is_lasting and n.resolved_at is null
      and not exists (select from (${current}) as c (org_id, key, title, detail, link, started_at)
        where c.org_id = n.org_id and c.key = n.key)`.execute(tx)
}

/** Default of `case_settings` (src/modules/reviews/cases). */
const CASE_SLA_HOURS = 24
/** The least critical score of the risk scale. */
const CRITICAL_SCORE = 70

/** Live cases that are not closed. No message names a customer. */
const openCases = (title: string, condition: RawBuilder<unknown>, startedAt: RawBuilder<unknown>) =>
  sql`
    select c.org_id, c.id::text, ${title}::text || ' (score ' || c.risk_score || ')',
      case when c.open_items = 1 then '1 item waits for a decision.'
        else c.open_items || ' items wait for a decision.' end,
      '/cases?case=' || c.id, ${startedAt}
    from cases c left join case_settings s on s.org_id = c.org_id
    where c.mode = 'live' and c.closed_at is null and ${condition}`

const CASE_DUE_AT = sql`c.first_at + make_interval(hours => coalesce(s.sla_hours, ${sql.lit(CASE_SLA_HOURS)}))`

/** A subquery: usage is only read while the engine does not respond. */
const ANALYTICS_GONE_AT = sql`select until from notification_progress where name = ${ANALYTICS}`

/** Compared every minute by default. */
export const WATCHED: readonly Watched[] = [
  {
    subject: 'webhook_failing',
    severity: 'warning',
    current: sql`
      select org_id, id::text, 'A webhook endpoint fails: ' || url, null, '/webhooks/' || id,
        failing_since
      from webhook_endpoints
      where status = 'active' and failing_since < now() - interval '5 minutes'`,
  },
  {
    subject: 'webhook_paused',
    severity: 'critical',
    current: sql`
      select org_id, id::text, 'A webhook endpoint was paused: ' || url,
        case when pause_reason = 'gone' then 'It answered that it no longer exists (410).'
          else 'It failed for too long.' end, '/webhooks/' || id, paused_at
      from webhook_endpoints where status = 'paused' and pause_reason <> 'requested'`,
  },
  {
    subject: 'push_credential',
    severity: 'critical',
    current: sql`
      select c.org_id, c.application_id || ' ' || c.provider,
        'A push credential is refused: ' || a.name || case when c.provider = 'apns' then ' (APNs)'
          else ' (FCM)' end,
        c.error, '/push/' || c.application_id || '/setup', coalesce(c.rejected_at, now())
      from push_credentials c join applications a
        on a.org_id = c.org_id and a.id = c.application_id
      where c.status = 'needs_attention' and a.deleted_at is null`,
  },
  {
    subject: 'device_non_compliant',
    severity: 'warning',
    current: sql`
      select d.org_id, d.id::text,
        'A managed device does not comply: ' || coalesce(d.name, d.serial_number, d.model, d.id::text),
        null, '/devices/fleet/' || d.id, now()
      from (
        select distinct org_id from mdm_device_counts
        where compliance_state = 'non_compliant' and state = 'active' and devices > 0
      ) o join mdm_devices d on d.org_id = o.org_id
      where d.state = 'active' and d.compliance_state = 'non_compliant'`,
  },
  {
    subject: 'case_overdue',
    severity: 'warning',
    current: openCases(
      'A case waits longer than its time limit',
      sql`${CASE_DUE_AT} < now()`,
      CASE_DUE_AT,
    ),
  },
  {
    subject: 'case_critical',
    severity: 'critical',
    current: openCases(
      'A case is critical',
      sql`c.risk_score >= ${sql.lit(CRITICAL_SCORE)}`,
      sql`c.last_at`,
    ),
  },
  {
    subject: 'logs_delayed',
    severity: 'critical',
    current: sql`
      select distinct on (org_id) org_id, 'spool', title, detail, '/logs', since
      from (
        select org_id, 1 as place, 'Logs and events cannot be stored' as title,
          'They are accepted and safe. Search, statistics and log alerts do not include them.' as detail,
          min(created_at) as since
        from analytics_spool
        where flushed_at is null and created_at < now() - interval '5 minutes' group by org_id
        union all
        select org_id, 2, 'Logs and events cannot be read', 'The analytics engine does not respond. '
            || 'New logs and events are accepted and safe. Search, statistics and log alerts do not work.',
          (${ANALYTICS_GONE_AT})
        from usage_slots
        where (${ANALYTICS_GONE_AT}) < now() - interval '5 minutes'
          and meter in ('edge_log', 'rum_event') and slot_at > now() - interval '7 days'
      ) w order by org_id, place`,
  },
]

/** Compared every quarter of an hour, because they read more. */
export const WATCHED_SLOWLY: readonly Watched[] = [
  {
    subject: 'device_silent',
    severity: 'warning',
    current: sql`
      select org_id, id::text,
        'A managed device has not reported for three days: '
          || coalesce(name, serial_number, model, id::text),
        null, '/devices/fleet/' || id, coalesce(last_report_at, enrolled_at) + interval '3 days'
      from mdm_devices
      where state = 'active' and coalesce(last_report_at, enrolled_at) < now() - interval '3 days'`,
  },
  {
    subject: 'credits_low',
    severity: 'warning',
    current: sql`
      select a.org_id, 'credits', 'Credits run low',
        trunc(a.balance_units / 10000.0) || ' credits are left, less than '
          || coalesce('the level of ' || trunc(c.low_balance_units / 10000.0) || '.',
            'were used in the last seven days.'),
        '/developers/usage', now()
      from ledger_accounts a
      left join credit_settings c on c.org_id = a.org_id
      left join (
        select org_id, sum(cost_units) as units from usage_slots
        where mode = 'live' and slot_at > now() - interval '7 days' group by org_id
      ) s on s.org_id = a.org_id
      where a.kind = 'wallet' and a.balance_units > 0
        and a.balance_units < coalesce(c.low_balance_units, s.units)`,
  },
  {
    subject: 'credits_used_up',
    severity: 'critical',
    current: sql`
      select s.org_id, 'credits', 'No credits are left', null, '/developers/usage', now()
      from (
        select org_id from usage_slots
        where mode = 'live' and slot_at > now() - interval '7 days' and cost_units > 0 group by org_id
      ) s join ledger_accounts a on a.org_id = s.org_id and a.kind = 'wallet'
      where a.balance_units <= 0`,
  },
]
