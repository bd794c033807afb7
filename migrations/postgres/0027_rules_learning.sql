-- What was learned from the decisions of an organization: the newest result, which the next one replaces. A
-- version of the rules is written when someone applies it, or by the job where `automatic` is set.
create table rules_learning (
  org_id     uuid not null,
  mode       text not null check (mode in ('live', 'test')),
  automatic  boolean not null default false,
  -- Null until the job has run for the first time.
  result     json,
  learned_at timestamptz,
  primary key (org_id, mode)
);
