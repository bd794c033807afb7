-- What is remembered about an organisation, a profile, a terminal, a store, a device, an address or
-- a cashier: small JSON of constant size, whatever the history. `version` is a number that no other
-- write uses; a write names the one that it was made from, so that none can be built upon a state that
-- is no longer there. Rows are updated in place: no index but the key, and room on each page, so that
-- an update stays on its page.
create table states (
  org_id     uuid not null,
  id         uuid not null,
  kind       text not null,
  version    bigint not null,
  -- 0 for the first.
  made_from  bigint not null,
  state      json not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);

-- Called with how many states a statement meant to write and how many it wrote.
create function refuse_stale_states(expected integer, written integer) returns integer
language plpgsql as $$
begin
  if written <> expected then
    raise exception 'a state was written by another transaction' using errcode = 'serialization_failure';
  end if;
  return written;
end
$$;

-- The names of profiles, written once; everything else about them is in their state.
create table profiles (
  org_id      uuid not null,
  id          uuid not null,
  mode        text not null check (mode in ('live', 'test')),
  external_id text not null,
  created_at  timestamptz not null,
  primary key (org_id, id),
  unique (org_id, mode, external_id)
);

-- A scored order. `seq` counts the orders of an organisation and mode in the order in which they were
-- scored: whoever folds them in this order gets the states again.
create table orders (
  org_id            uuid not null,
  id                uuid not null,
  mode              text not null check (mode in ('live', 'test')),
  seq               bigint not null,
  external_order_id text not null,
  profile_id        uuid,
  risk_score        smallint not null check (risk_score between 0 and 100),
  -- As sent, items included.
  request           json not null,
  -- Flags, what each signal measured, and what the scoring knew besides the request.
  assessment        json not null,
  ordered_at        timestamptz not null,
  created_at        timestamptz not null,
  primary key (org_id, id),
  -- Retries find the first one (OP-9).
  unique (org_id, mode, external_order_id)
);
create index orders_by_time on orders using brin (created_at);

create table cashier_actions (
  org_id            uuid not null,
  id                uuid not null,
  mode              text not null check (mode in ('live', 'test')),
  cashier_id        uuid not null,
  -- Of an action that says when it was performed: sent again, it is the same one.
  action_hash       uuid,
  order_external_id text,
  action_type       text not null,
  amount_cents      bigint,
  risk_score        smallint not null check (risk_score between 0 and 100),
  request           json not null,
  fraud             json not null,
  measurements      json not null,
  performed_at      timestamptz not null,
  created_at        timestamptz not null,
  primary key (org_id, id)
);
create unique index cashier_actions_once on cashier_actions (org_id, mode, action_hash)
  where action_hash is not null;
-- What was refunded of an order so far.
create index cashier_actions_by_order on cashier_actions (org_id, mode, order_external_id)
  where order_external_id is not null;
create index cashier_actions_by_time on cashier_actions using brin (created_at);

-- The strongest recent check of a device: what orders and profiles learn from checks.
create table device_check_risks (
  org_id     uuid not null,
  device_id  uuid not null,
  risk_score smallint not null check (risk_score between 0 and 100),
  checked_at timestamptz not null,
  primary key (org_id, device_id)
) with (fillfactor = 75);

-- What people should look at, and what they decided. `subject_id` is the order (also of an alert) or
-- the cashier action; the rows of one order are decided together, so its label is never in doubt.
create table reviews (
  org_id      uuid not null,
  id          uuid not null,
  mode        text not null check (mode in ('live', 'test')),
  subject     text not null check (subject in ('order', 'alert', 'cashier_action')),
  subject_id  uuid not null,
  -- As the organisation knows it: external_order_id, or cashier_external_id.
  external_id text not null,
  risk_score  smallint not null check (risk_score between 0 and 100),
  flags       text[] not null,
  -- Why it is here, in one line; of an alert, its pattern.
  reason      text not null,
  created_at  timestamptz not null,
  decision    text check (decision in ('confirmed_fraud', 'legitimate')),
  decided_at  timestamptz,
  decided_by  text,
  note        text,
  primary key (org_id, id),
  check ((decision is null) = (decided_at is null) and (decision is null) = (decided_by is null))
);
-- An order has one row of its own and one per alert; a retry or a second decider adds none.
create unique index reviews_by_subject
  on reviews (org_id, subject_id, subject, (case when subject = 'alert' then reason else '' end));
-- Ids grow with time, so the newest come first by walking these backwards.
create index reviews_open on reviews (org_id, mode, id) where decision is null;
create index reviews_open_by_risk on reviews (org_id, mode, risk_score, id) where decision is null;
create index reviews_by_time on reviews using brin (created_at);
create index reviews_decided on reviews (org_id, mode, id) where decision is not null;

-- Every decision that was made, changed ones too: the labels in the order in which the states learnt
-- them, so that a replay from the beginning can do the same. Of two who decide at once, the second
-- finds its number taken and begins again.
create table review_decisions (
  org_id     uuid not null,
  subject_id uuid not null,
  -- 1 for the first decision about the order or action; each later one changed it.
  number     smallint not null,
  mode       text not null check (mode in ('live', 'test')),
  subject    text not null check (subject in ('order', 'cashier_action')),
  decision   text not null check (decision in ('confirmed_fraud', 'legitimate')),
  -- How many orders (or cashier actions) of the organisation and mode the states had learnt before it.
  after_seq  bigint not null,
  -- Grows in the order in which the decisions of an organisation and mode were learnt.
  position   bigint generated always as identity,
  decided_at timestamptz not null,
  decided_by text not null,
  note       text,
  primary key (org_id, subject_id, number)
);
create index review_decisions_by_position on review_decisions (org_id, mode, subject, position);
