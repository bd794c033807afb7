-- The API key that caused usage; null for checks from the console, and in rows of an earlier version.
alter table usage_events add column key_id uuid;

-- The part of usage_slots that keys caused, folded in the same transactions.
create table usage_key_slots (
  org_id     uuid not null,
  mode       text not null check (mode in ('live', 'test')),
  slot_at    timestamptz not null,
  key_id     uuid not null,
  meter      text not null,
  quantity   bigint not null,
  cost_units bigint not null,
  primary key (org_id, mode, slot_at, key_id, meter)
);
