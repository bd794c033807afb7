-- Kinds of log alert rules, mutes of single rules, and the history of their firings.
alter table edge_alerts
  add column kind text not null default 'count'
    check (kind in ('count', 'absence', 'ratio', 'new_group')),
  -- Only of the kind ratio.
  add column ratio_percent double precision,
  add column muted_until timestamptz,
  -- Grows with every change, so that the result of an evaluation of the previous rule is not written.
  add column version integer not null default 1;

-- Nothing is sent about it until then.
alter table notifications add column muted_until timestamptz;

-- When rules fired, with the rule as it was then. Deleted with the rule, and by retention.
create table edge_alert_firings (
  org_id      uuid not null,
  alert_id    uuid not null,
  fired_at    timestamptz not null,
  resolved_at timestamptz,
  rule        jsonb not null,
  primary key (org_id, alert_id, fired_at)
);
create index edge_alert_firings_by_time on edge_alert_firings (fired_at);
