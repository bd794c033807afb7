-- online: each statement runs by itself, and can run again
-- A case groups reviews with one cause. A review joins a case in the statement that writes it; reviews of the
-- previous version, and those that were open before, join one by a job.
create table if not exists cases (
  org_id       uuid not null,
  id           uuid not null,
  mode         text not null check (mode in ('live', 'test')),
  -- `kind:value` of what the items have in common, such as `device:8c1f…`.
  cause        text not null,
  -- Whether later reviews with the same cause may join; one case per cause is.
  is_joinable  boolean not null default true,
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  -- Of the first item.
  customer     text,
  country      text,
  currency     text,
  -- Kept by triggers of `reviews`.
  items        integer not null default 0,
  open_items   integer not null default 0,
  frauds       integer not null default 0,
  risk_score   smallint not null default 0,
  -- Sum of the undecided items in the currency of the case.
  amount_cents bigint not null default 0,
  is_mixed     boolean not null default false,
  -- The work of members. Without any, the case is open.
  assignee_id  uuid,
  assigned_at  timestamptz,
  waits_until  timestamptz,
  escalated_at timestamptz,
  closed_at    timestamptz,
  closed_by    text,
  outcome      text check (outcome in ('fraud', 'legitimate', 'mixed', 'unsure')),
  reason_code  text,
  -- Grows with each change by a member, so that two of them do not overwrite each other.
  version      integer not null default 0,
  primary key (org_id, id),
  check ((closed_at is null) = (outcome is null))
)

-- Of two nodes that open a case for one cause, the second joins that of the first.
create unique index concurrently if not exists cases_joinable on cases (org_id, mode, cause)
  where is_joinable

create index concurrently if not exists cases_open on cases (org_id, mode, id) where closed_at is null

create index concurrently if not exists cases_open_by_amount on cases (org_id, mode, amount_cents, id)
  where closed_at is null

create index concurrently if not exists cases_open_by_score on cases (org_id, mode, risk_score, id)
  where closed_at is null

create index concurrently if not exists cases_closed on cases (org_id, mode, id) where closed_at is not null

-- For retention.
create index concurrently if not exists cases_by_time on cases using brin (last_at)

-- What members did with a case, oldest first by id.
create table if not exists case_events (
  org_id  uuid not null,
  case_id uuid not null,
  id      uuid not null,
  at      timestamptz not null,
  -- User id, `cli`, or null for the service itself.
  actor   text,
  kind    text not null,
  details jsonb not null,
  primary key (org_id, case_id, id)
)

-- Reason codes and the time in which a case should be closed. An organization without a row has the default.
create table if not exists case_settings (
  org_id       uuid not null primary key,
  sla_hours    integer not null check (sla_hours between 1 and 8760),
  reason_codes jsonb not null
)

-- What flagged orders and cashier actions have in common with others.
create table if not exists review_links (
  org_id     uuid not null,
  mode       text not null check (mode in ('live', 'test')),
  kind       text not null,
  value      text not null,
  subject_id uuid not null,
  customer   text,
  primary key (org_id, mode, kind, value, subject_id)
)

create index concurrently if not exists review_links_by_subject on review_links (org_id, subject_id)

alter table reviews
  add column if not exists case_id uuid,
  add column if not exists amount_cents bigint,
  add column if not exists currency text,
  add column if not exists customer text,
  add column if not exists country text

create index concurrently if not exists reviews_by_case on reviews (org_id, case_id, id)
  where case_id is not null

-- What the job has to do.
create index concurrently if not exists reviews_without_case on reviews (org_id, id)
  where case_id is null and decision is null

-- Returns the case that a review joins: the open case of the first cause that has one, or else a new case of the
-- first cause. A case that had no review for `window_days` is not joined again.
create or replace function join_case(
  of_org uuid, of_mode text, new_id uuid, at timestamptz, causes text[], of_customer text, of_country text,
  of_currency text, window_days integer
) returns uuid language plpgsql as $$
declare
  one text;
  joined uuid;
begin
  foreach one in array causes loop
    update cases c set last_at = greatest(c.last_at, at), first_at = least(c.first_at, at)
    where c.org_id = of_org and c.mode = of_mode and c.cause = one and c.is_joinable and c.closed_at is null
      and at between c.first_at - make_interval(days => window_days)
        and c.last_at + make_interval(days => window_days)
    returning c.id into joined;
    if joined is not null then
      return joined;
    end if;
  end loop;
  update cases c set is_joinable = false
  where c.org_id = of_org and c.mode = of_mode and c.cause = causes[1] and c.is_joinable;
  insert into cases as c (org_id, id, mode, cause, first_at, last_at, customer, country, currency)
  values (of_org, new_id, of_mode, causes[1], at, at, of_customer, of_country, of_currency)
  on conflict (org_id, mode, cause) where is_joinable
    do update set last_at = greatest(c.last_at, at)
  returning c.id into joined;
  return joined;
end
$$

-- Adds items to a case, or takes them away. A case without undecided items closes, and opens again when a
-- decision is taken back.
create or replace function count_case_items(
  of_org uuid, of_case uuid, items_more integer, open_more integer, frauds_more integer, score integer,
  amount_more bigint, of_currency text, at timestamptz
) returns void language plpgsql as $$
begin
  update cases c set
    items = c.items + items_more,
    open_items = c.open_items + open_more,
    frauds = c.frauds + frauds_more,
    risk_score = greatest(c.risk_score, score),
    currency = coalesce(c.currency, of_currency),
    -- An amount without a currency is one of the till, which is that of the case.
    amount_cents = c.amount_cents
      + case when coalesce(c.currency <> of_currency, false) then 0 else amount_more end,
    is_mixed = c.is_mixed or coalesce(c.currency <> of_currency, false)
  where c.org_id = of_org and c.id = of_case;
  update cases c set
    closed_at = case when c.open_items > 0 then null else coalesce(c.closed_at, at) end,
    closed_by = case when c.open_items > 0 then null else c.closed_by end,
    is_joinable = c.is_joinable and c.open_items > 0,
    outcome = case
      when c.open_items > 0 then null
      when c.frauds = 0 then 'legitimate'
      when c.frauds = c.items then 'fraud'
      else 'mixed' end,
    waits_until = case when c.open_items > 0 then c.waits_until end
  where c.org_id = of_org and c.id = of_case and c.items > 0
    and (c.open_items = 0 or (c.closed_at is not null and c.outcome <> 'unsure'));
end
$$

create or replace function count_items_of_cases() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform count_case_items(r.org_id, r.case_id, count(*)::integer,
      (count(*) filter (where r.decision is null))::integer,
      (count(*) filter (where r.decision = 'confirmed_fraud'))::integer, max(r.risk_score),
      coalesce(sum(r.amount_cents) filter (where r.decision is null), 0)::bigint, r.currency,
      max(coalesce(r.decided_at, r.created_at)))
    from new_reviews r where r.case_id is not null
    group by r.org_id, r.case_id, r.currency order by r.case_id;
  elsif tg_op = 'DELETE' then
    perform count_case_items(r.org_id, r.case_id, -count(*)::integer,
      -(count(*) filter (where r.decision is null))::integer,
      -(count(*) filter (where r.decision = 'confirmed_fraud'))::integer, 0,
      -coalesce(sum(r.amount_cents) filter (where r.decision is null), 0)::bigint, r.currency,
      max(coalesce(r.decided_at, r.created_at)))
    from old_reviews r where r.case_id is not null
    group by r.org_id, r.case_id, r.currency order by r.case_id;
  else
    perform count_case_items(r.org_id, r.case_id, sum(r.way)::integer,
      coalesce(sum(r.way) filter (where r.decision is null), 0)::integer,
      coalesce(sum(r.way) filter (where r.decision = 'confirmed_fraud'), 0)::integer, max(r.risk_score),
      coalesce(sum(r.way * r.amount_cents) filter (where r.decision is null), 0)::bigint, r.currency,
      max(coalesce(r.decided_at, r.created_at)))
    from (
      select n.*, 1 as way from new_reviews n
      union all select o.*, -1 as way from old_reviews o
    ) r where r.case_id is not null
    group by r.org_id, r.case_id, r.currency order by r.case_id;
  end if;
  return null;
end
$$

create or replace trigger case_items_added after insert on reviews
  referencing new table as new_reviews for each statement execute function count_items_of_cases()

create or replace trigger case_items_changed after update on reviews
  referencing old table as old_reviews new table as new_reviews
  for each statement execute function count_items_of_cases()

create or replace trigger case_items_deleted after delete on reviews
  referencing old table as old_reviews for each statement execute function count_items_of_cases()
