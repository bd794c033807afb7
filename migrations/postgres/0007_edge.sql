-- What devices and browsers send, on its way to ClickHouse: rows of one organisation for one table there,
-- as the lines of JSON that ClickHouse takes. Rows that go together are marked with a flush before they
-- are sent, so that a repetition after a crash sends the same block under the same name, and ClickHouse
-- drops it. What has arrived stays for a few seconds: the live tail reads it here.
create table analytics_spool (
  org_id       uuid not null,
  id           uuid primary key,
  mode         text not null check (mode in ('live', 'test')),
  target       text not null,
  entries      integer not null check (entries > 0),
  -- Compressed by the server where it is kept.
  payload      bytea not null,
  bytes        integer not null,
  created_at   timestamptz not null default clock_timestamp(),
  flush_id     uuid,
  lease_id     uuid,
  leased_until timestamptz,
  attempts     integer not null default 0,
  -- Why the engine will not take it, when it is about this row alone.
  refusal      text,
  flushed_at   timestamptz
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);
create index analytics_spool_waiting on analytics_spool (target, id) include (entries, bytes, created_at)
  where flush_id is null;
create index analytics_spool_flushes on analytics_spool (flush_id)
  where flush_id is not null and flushed_at is null;
create index analytics_spool_flushed on analytics_spool (flushed_at) where flushed_at is not null;
do $$
begin
  alter table analytics_spool alter column payload set compression lz4;
exception when feature_not_supported then
  null; -- A server that was built without lz4 compresses in its own way.
end
$$;

-- Bodies that were taken in of late: the same one again is answered from here.
create table intake_receipts (
  org_id      uuid not null,
  mode        text not null check (mode in ('live', 'test')),
  body_hash   bytea not null,
  received    integer not null,
  processed   integer not null,
  message     text not null,
  received_at timestamptz not null,
  primary key (org_id, mode, body_hash)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index intake_receipts_by_time on intake_receipts (received_at);

-- What an organisation used in a month, for what is priced by the month. Whoever adds to it holds the
-- row until the commit, so each knows exactly at which number of the month it began.
create table usage_months (
  org_id     uuid not null,
  mode       text not null check (mode in ('live', 'test')),
  meter      text not null,
  month      date not null,
  quantity   bigint not null check (quantity >= 0),
  cost_units bigint not null check (cost_units >= 0),
  primary key (org_id, mode, meter, month)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

create table edge_devices (
  org_id           uuid not null,
  mode             text not null check (mode in ('live', 'test')),
  device_id        text not null,
  device_type      text,
  name             text,
  firmware_version text,
  location         jsonb,
  tags             text[],
  created_at       timestamptz not null,
  last_seen_at     timestamptz not null,
  primary key (org_id, mode, device_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index edge_devices_by_time on edge_devices (org_id, mode, last_seen_at desc, device_id);

create table edge_alerts (
  org_id           uuid not null,
  id               uuid not null,
  name             text not null,
  condition        jsonb not null,
  threshold        integer not null check (threshold > 0),
  window_minutes   integer not null check (window_minutes > 0),
  status           text not null default 'ok' check (status in ('ok', 'firing')),
  last_fired_at    timestamptz,
  last_resolved_at timestamptz,
  -- Ends of windows up to here have been looked at.
  evaluated_until  timestamptz not null,
  -- Until then one of the nodes judges it; in the past: it could not be judged when it was tried last.
  leased_until     timestamptz,
  created_at       timestamptz not null,
  primary key (org_id, id)
  -- Without an index of what is due: every rule is due every minute, and written without touching one.
) with (fillfactor = 50);

-- Sessions that were seen in a month, each once.
create table rum_sessions (
  org_id       uuid not null,
  mode         text not null check (mode in ('live', 'test')),
  month        date not null,
  session_hash bytea not null,
  primary key (org_id, mode, month, session_hash)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index rum_sessions_by_month on rum_sessions (month);

-- Answers those that were not there yet. A function, because a statement that inserts cannot be part of
-- a part of a larger one, and the caller's is. In the order of the key, so that two never wait for each
-- other in a circle.
create function insert_rum_sessions(org_ids uuid[], modes text[], months text[], hashes bytea[])
returns setof rum_sessions language sql as $$
  insert into rum_sessions (org_id, mode, month, session_hash)
  select distinct s.org_id, s.mode, s.month::date, s.hash
  from unnest(org_ids, modes, months, hashes) as s (org_id, mode, month, hash)
  order by 1, 2, 3, 4
  on conflict do nothing
  returning *
$$;
