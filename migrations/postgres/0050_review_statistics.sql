-- online: each statement runs by itself, and can run again
-- How a decision came about: null for one of a member or the operator, `outcome` for one that was reported later,
-- such as a chargeback. Earlier decisions have none.
alter table review_decisions add column if not exists source text check (source in ('outcome'))

-- Statistics read the decisions of some weeks.
create index concurrently if not exists review_decisions_by_time
  on review_decisions (org_id, mode, decided_at)
