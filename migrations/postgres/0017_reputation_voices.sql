-- The organization that the operator created and that this one descends from: owners create further
-- ones in the console. Null for those of the operator. It stays when owners leave, so that nobody
-- gains a second voice by creating an organization and leaving the first.
alter table organizations add column root_id uuid references organizations (id) on delete set null;
-- Counted when an owner creates another one.
create index organizations_by_root on organizations (root_id) where root_id is not null;

-- Existing ones descend from the oldest organization that their creator owned before, or otherwise
-- acted in.
with recursive made as (
  select distinct on (a.org_id) a.org_id, a.actor_user_id as user_id, o.created_at
  from audit_log a join organizations o on o.id = a.org_id
  where a.action = 'organization.created' and a.actor_user_id is not null
  order by a.org_id
), known as (
  select user_id, org_id, 0 as rank from memberships where role = 'owner'
  union
  select actor_user_id, org_id, 1 from audit_log where actor_user_id in (select user_id from made)
), parent as (
  select distinct on (m.org_id) m.org_id, p.id as parent_id
  from made m
  join known k on k.user_id = m.user_id
  join organizations p on p.id = k.org_id and (p.created_at, p.id) < (m.created_at, m.org_id)
  order by m.org_id, k.rank, p.created_at, p.id
), descent as (
  select o.id as root_id, o.id as org_id from organizations o
  where not exists (select from parent p where p.org_id = o.id)
  union all
  select d.root_id, p.org_id from descent d join parent p on p.parent_id = d.org_id
)
update organizations o set root_id = d.root_id
from descent d where d.org_id = o.id and d.root_id <> o.id;

-- The part of `bad` that counts for other organizations; null in rows from before this column, of
-- which all of it counts.
alter table reputation add column shared_bad double precision;

-- What decides whether the opinions of an organization count for others. A recurring job maintains
-- the rows, so that requests neither count nor search anything.
create table reputation_voices (
  org_id        uuid primary key references organizations (id) on delete cascade,
  -- Equal for organizations that share owners or descend from the same one: together one voice.
  voice_id      uuid not null,
  -- The operator's word; null leaves it to age and requests.
  is_trusted    boolean,
  since         timestamptz not null,
  -- Scored requests up to `counted_until`, a full hour; no longer counted when both are enough.
  live_requests bigint not null default 0,
  test_requests bigint not null default 0,
  counted_until timestamptz not null
) with (fillfactor = 80);
