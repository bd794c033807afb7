-- What was used, by the hour: what the console shows over time. `flagged_order` is a meter of its own,
-- which counts orders that entered the review queue.
create table usage_slots (
  org_id     uuid not null,
  mode       text not null check (mode in ('live', 'test')),
  slot_at    timestamptz not null,
  meter      text not null,
  quantity   bigint not null,
  cost_units bigint not null,
  primary key (org_id, mode, slot_at, meter)
) with (fillfactor = 80);

-- One row: what has an id of before this time is in usage_slots, each row once; what has a later one
-- is not. Moves in the transaction that counts.
create table usage_fold (
  is_only      boolean primary key default true check (is_only),
  folded_until timestamptz not null
);

-- The order rules of an organisation and mode, every version that was ever in force; the newest one
-- is. Before the first one, and as version 0, the rules that the program comes with are in force.
create table order_rules (
  org_id         uuid not null,
  mode           text not null check (mode in ('live', 'test')),
  version        integer not null check (version > 0),
  -- What is other than in the program: {section: {name: number}}.
  overrides      json not null,
  note           text,
  -- The version whose rules these are again.
  rolled_back_to integer check (rolled_back_to >= 0 and rolled_back_to < version),
  applied_at     timestamptz not null,
  applied_by     text not null,
  primary key (org_id, mode, version)
);

-- Stored orders scored again with a draft, in the background. Who runs one holds a lease; what a
-- process did not finish is taken up again from its beginning.
create table rules_replays (
  org_id       uuid not null,
  id           uuid not null,
  mode         text not null check (mode in ('live', 'test')),
  state        text not null check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  overrides    json not null,
  from_at      timestamptz not null,
  to_at        timestamptz not null check (to_at > from_at),
  orders_read  bigint not null default 0,
  -- How many there are to read; null until that is known.
  orders_total bigint,
  -- Up to when orders have been read.
  read_until   timestamptz,
  result       json,
  fault        text,
  attempts     smallint not null default 0,
  lease_id     uuid,
  leased_until timestamptz,
  created_by   text not null,
  created_at   timestamptz not null,
  finished_at  timestamptz,
  primary key (org_id, id),
  check ((state = 'done') = (result is not null)),
  check ((state in ('done', 'failed', 'cancelled')) = (finished_at is not null))
);
-- The queue, over all organisations: ids grow with time.
create index rules_replays_waiting on rules_replays (id) where state in ('queued', 'running');
