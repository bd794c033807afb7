-- In the directory: moves of organizations between cells. At most one is under way.
create table organization_moves (
  org_id      uuid not null,
  id          uuid not null,
  source      text not null,
  target      text not null,
  started_at  timestamptz not null default now(),
  -- Since when the organization is served from the target.
  switched_at timestamptz,
  finished_at timestamptz,
  -- Rows of the source and of the target, which were compared.
  verified_rows bigint not null default 0,
  primary key (org_id, id)
);
create unique index organization_moves_under_way on organization_moves ((finished_at is null)) where finished_at is null;

-- Until then, requests that may write wait for the end of a move.
alter table organizations add column paused_until timestamptz;

-- In a cell: organizations that are on their way. `moved` and a `paused` that has not ended refuse every write
-- in the source; `arrived` is written in the target with the rows.
create table organization_fences (
  org_id       uuid primary key,
  state        text not null check (state in ('copying', 'paused', 'moved', 'arrived')),
  paused_until timestamptz
);

-- In the source: keys of the rows that were written since they were copied.
create table organization_changes (
  org_id     uuid not null,
  id         bigint not null generated always as identity,
  table_name text not null,
  key        jsonb not null,
  primary key (org_id, id)
);

-- A move adds triggers with this function to the tables of its source, with the organization and the columns of
-- the primary key as arguments, and drops them at its end. A transaction that writes a row of the organization
-- holds a shared lock until its end. A change of the fence takes the lock alone, so that transactions
-- before it are complete and visible, and those after it see the change.
create function guard_moving_organization() returns trigger language plpgsql as $$
declare
  fence_state text;
  fence_until timestamptz;
  is_left boolean := false;
begin
  if current_setting('vigil.moves_organization', true) = 'on' then
    return null;
  end if;
  -- An older snapshot would not show the change of the fence.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'an organization that moves is written in read committed transactions only';
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended(tg_table_schema || '.' || tg_argv[0], 0));
  select state, paused_until into fence_state, fence_until
  from organization_fences where org_id = tg_argv[0]::uuid;
  if fence_state = 'moved' or (fence_state = 'paused' and fence_until > clock_timestamp()) then
    -- Batches that are being inserted into the analytics engine remain, and are completed where they are.
    if tg_table_name = 'analytics_spool' and tg_op <> 'INSERT' then
      is_left := old.flush_id is not null;
    end if;
    if not is_left then
      raise exception 'organization % moves to another cell', tg_argv[0]
        using errcode = 'read_only_sql_transaction';
    end if;
  end if;
  if tg_op <> 'DELETE' then
    insert into organization_changes (org_id, table_name, key)
    select tg_argv[0]::uuid, tg_table_name, jsonb_object_agg(k, to_jsonb(new) -> k)
    from unnest(tg_argv[1:]) as k;
  end if;
  if tg_op = 'DELETE' then
    insert into organization_changes (org_id, table_name, key)
    select tg_argv[0]::uuid, tg_table_name, jsonb_object_agg(k, to_jsonb(old) -> k)
    from unnest(tg_argv[1:]) as k;
  elsif tg_op = 'UPDATE' then
    insert into organization_changes (org_id, table_name, key)
    select tg_argv[0]::uuid, tg_table_name, o.key
    from (select jsonb_object_agg(k, to_jsonb(old) -> k) as key,
      jsonb_object_agg(k, to_jsonb(new) -> k) as new_key from unnest(tg_argv[1:]) as k) o
    where o.key <> o.new_key;
  end if;
  return null;
end
$$;
