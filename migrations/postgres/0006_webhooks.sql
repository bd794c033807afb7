-- Where events are sent. `mode` says whose events: one endpoint never gets both live and test ones.
-- A deleted endpoint stays as a row until its deliveries have been swept.
create table webhook_endpoints (
  org_id        uuid not null,
  id            uuid primary key,
  mode          text not null check (mode in ('live', 'test')),
  url           text not null,
  -- Host and port of the URL: what endpoints of one receiver have in common.
  host          text not null,
  events        text[] not null,
  description   text not null,
  status        text not null check (status in ('active', 'paused', 'deleted')),
  secret        text not null,
  secret_prefix text not null,
  pause_reason  text check (pause_reason in ('requested', 'gone', 'failing')),
  paused_at     timestamptz,
  -- When the first attempt failed after the last one that went well.
  failing_since timestamptz,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  check ((status = 'paused') = (pause_reason is not null)),
  check ((status = 'paused') = (paused_at is not null))
) with (fillfactor = 80);
create index webhook_endpoints_by_org on webhook_endpoints (org_id, id) where status <> 'deleted';
create index webhook_endpoints_deleted on webhook_endpoints (id) where status = 'deleted';

-- One event on its way to one endpoint: what the history shows, and the queue. `due_at` is null when
-- nothing is left to be done. While an attempt is under way the row is leased; the columns of the
-- lease are in no index, so that taking it rewrites none.
create table webhook_deliveries (
  org_id          uuid not null,
  endpoint_id     uuid not null,
  id              uuid not null,
  event_id        uuid not null,
  event_type      text not null,
  status          text not null default 'pending'
    check (status in ('pending', 'succeeded', 'failed', 'exhausted')),
  attempts        integer not null default 0,
  due_at          timestamptz,
  lease_id        uuid,
  leased_until    timestamptz,
  -- Of a test; what others deliver is the text of their event.
  body            text,
  attempted_at    timestamptz,
  response_status smallint,
  response_body   text,
  error           text,
  latency_ms      integer,
  created_at      timestamptz not null,
  primary key (endpoint_id, id),
  check ((due_at is null) = (status in ('succeeded', 'exhausted'))),
  check ((lease_id is null) = (leased_until is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- Small, however long the history is: the endpoints that have something to be done, and when.
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at)
  where due_at is not null;

-- A UUID of version 7, which PostgreSQL has from 18 on: new rows land at the end of their index.
create function new_time_id() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(overlay(
      uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
      from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- An event and its deliveries are written together, whoever writes the event. One call per statement,
-- however many events it writes.
create function queue_webhook_deliveries() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (org_id, endpoint_id, id, event_id, event_type, due_at, created_at)
  select e.org_id, w.id, new_time_id(), e.id, e.type, now(), now()
  from new_events e cross join lateral (
    -- `offset 0` keeps the planner from beginning with all endpoints there are.
    select id from webhook_endpoints
    where org_id = e.org_id and status <> 'deleted' and mode = e.mode and e.type = any (events)
    offset 0) w;
  return null;
end
$$;
create trigger events_are_delivered after insert on events
  referencing new table as new_events
  for each statement execute function queue_webhook_deliveries();
