-- A finished check. What was asked, what was answered and why are kept as the JSON text that was
-- received, sent and explained; nothing queries inside them.
create table checks (
  org_id     uuid not null,
  id         uuid not null,
  mode       text not null check (mode in ('live', 'test')),
  risk_score smallint not null check (risk_score between 0 and 100),
  request    json not null,
  result     json not null,
  evidence   json not null,
  created_at timestamptz not null,
  primary key (org_id, id)
);
-- Rows arrive in the order of time, so a block range index finds old ones at next to no cost.
create index checks_by_time on checks using brin (created_at);

-- Retries: the first request with an event_id decides, later ones get its result (OP-8).
create table check_event_ids (
  org_id       uuid not null,
  mode         text not null,
  event_id     text not null,
  check_id     uuid not null,
  payload_hash bytea not null,
  primary key (org_id, mode, event_id)
);
create index check_event_ids_by_check on check_event_ids (org_id, check_id);

-- Exponentially decayed counts per identity (keyed hash of mode, kind and value), one per half-life.
-- The state is O(1) whatever its history. Rows are updated in place: no index but the key, and room
-- on each page, so that an update stays on its page.
create table velocity (
  org_id    uuid not null,
  key_hash  uuid not null,
  count_5m  double precision not null,
  count_1h  double precision not null,
  count_1d  double precision not null,
  count_7d  double precision not null,
  last_at   timestamptz not null,
  -- Short hashes of the distinct identities seen together with this one, capped.
  seen_with integer[] not null default '{}',
  primary key (org_id, key_hash)
) with (fillfactor = 75);

-- Answers of DNS, registries and carriers, shared by all nodes. After a failed attempt the last
-- answer stays beside the reason; `expires_at` says when to ask again in either case.
create table lookup_cache (
  kind       text not null,
  key        text not null,
  value      json,
  fetched_at timestamptz not null,
  failure    text,
  expires_at timestamptz not null,
  primary key (kind, key)
);
create index lookup_cache_by_expiry on lookup_cache (expires_at);

create table phone_reports (
  org_id     uuid not null,
  id         uuid not null,
  mode       text not null,
  phone_hash uuid not null,
  check_id   text,
  report     json not null,
  created_at timestamptz not null,
  primary key (org_id, id)
);
create index phone_reports_by_time on phone_reports using brin (created_at);
-- The same outcome of the same check counts once, however often it is sent.
create unique index phone_reports_once on phone_reports (org_id, mode, phone_hash, check_id, (report ->> 'outcome'))
  where check_id is not null;

-- What organisations have said about an identity, decayed. One row per organisation that said
-- something; the others see how many there are, never who.
create table reputation (
  key_hash   uuid not null,
  org_id     uuid not null,
  bad        double precision not null,
  good       double precision not null,
  updated_at timestamptz not null,
  primary key (key_hash, org_id)
);
