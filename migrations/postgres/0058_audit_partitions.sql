-- online: each statement runs by itself, and can run again
-- Large tables are divided by the time in their ids, so that what is too old is dropped with its partition instead of
-- being deleted row by row (docs/decisions/0048). A table that exists becomes the first partition, up to a boundary
-- that is at least a week ahead, without being copied.
create or replace function lowest_id_at(at timestamptz) returns uuid language sql stable strict as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$

-- The time of an id of version 7.
create or replace function time_of_id(id uuid) returns timestamptz language sql immutable strict as $$
  select to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)
$$

-- The check lets the table become a partition without being read under a lock. Nothing waits for it: it only refuses
-- ids that are more than a week ahead. Called again, it moves the boundary on. `width` is week or month.
create or replace function bound_first_partition(name text, width text) returns void language plpgsql as $$
begin
  if (select relkind from pg_class where oid = to_regclass(quote_ident(name))) = 'p' then
    return;
  end if;
  perform set_config('lock_timeout', '1s', true);
  execute format('alter table %I drop constraint if exists %I', name, name || '_is_first');
  execute format('alter table %I add constraint %I check (id < %L) not valid', name, name || '_is_first',
    lowest_id_at((date_trunc(width, (now() + interval '7 days') at time zone 'UTC')
      + ('1 ' || width)::interval) at time zone 'UTC'));
end
$$

-- Reads the whole table, while it is used.
create or replace function verify_first_partition(name text) returns void language plpgsql as $$
begin
  if (select relkind from pg_class where oid = to_regclass(quote_ident(name))) = 'r' then
    execute format('alter table %I validate constraint %I', name, name || '_is_first');
  end if;
end
$$

-- Puts a partitioned table in the place of the table, which becomes its first partition, in an instant. Indexes, checks,
-- triggers and privileges keep their names and belong to the partitioned table. The default partition takes rows for
-- which no other exists, so that no insert fails.
create or replace function attach_first_partition(name text, width text) returns void language plpgsql as $$
declare
  given      regclass := to_regclass(quote_ident(name));
  first_name text := name || '_first';
  low        uuid;
  high       uuid;
  options    text;
  part       record;
  command    text;
  commands   text[] := '{}';
begin
  if (select relkind from pg_class where oid = given) = 'p' then
    return;
  end if;
  -- Requests that use the table wait behind this lock.
  perform set_config('lock_timeout', '1s', true);
  execute format('lock table %I in access exclusive mode', name);
  select substring(pg_get_constraintdef(oid) from '[0-9a-f]{8}-[0-9a-f-]{27}')::uuid into strict high
  from pg_constraint where conrelid = given and conname = name || '_is_first' and convalidated;
  select coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') into options
  from pg_class where oid = given;
  execute format('alter table %I rename to %I', name, first_name);
  for part in
    select c.relname, i.indexrelid::regclass::text as index_name,
      case when k.oid is null
        then replace(pg_get_indexdef(i.indexrelid), quote_ident(first_name) || ' USING', quote_ident(name) || ' USING')
        else format('alter table %I add constraint %I %s', name, k.conname, pg_get_constraintdef(k.oid))
      end as command
    from pg_index i join pg_class c on c.oid = i.indexrelid
    left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u')
    where i.indrelid = given
  loop
    commands := commands || part.command;
    execute format('alter index %s rename to %I', part.index_name,
      first_name || '_' || regexp_replace(part.relname, '^' || name || '_', ''));
  end loop;
  for part in
    select tgname, replace(pg_get_triggerdef(oid), quote_ident(first_name) || ' ', quote_ident(name) || ' ') as command
    from pg_trigger where tgrelid = given and not tgisinternal
  loop
    commands := commands || part.command;
    execute format('drop trigger %I on %I', part.tgname, first_name);
  end loop;
  for part in
    select a.grantee, a.privilege_type from pg_class c, aclexplode(c.relacl) a
    where c.oid = given and a.grantee <> c.relowner
  loop
    commands := commands || format('grant %s on %I to %s', part.privilege_type, name,
      case part.grantee when 0 then 'public' else part.grantee::regrole::text end);
  end loop;
  execute format('create table %I (like %I including defaults including constraints including storage)
    partition by range (id)', name, first_name);
  execute format('alter table %I drop constraint %I', name, name || '_is_first');
  foreach command in array commands loop
    execute command;
  end loop;
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', name, first_name, high);
  execute format('alter table %I drop constraint %I', first_name, name || '_is_first');
  execute format('create table %I partition of %I default', name || '_default', name) || options;
  for step in 1..2 loop
    low := high;
    high := lowest_id_at((time_of_id(low) at time zone 'UTC' + ('1 ' || width)::interval) at time zone 'UTC');
    execute format('create table %I partition of %I for values from (%L) to (%L)',
      name || '_from_' || to_char(time_of_id(low) at time zone 'UTC', 'YYYYMMDD'), name, low, high) || options;
  end loop;
end
$$

-- The guard of a move runs on partitions, too, and names their table.
create or replace function guard_moving_organization() returns trigger language plpgsql as $$
declare
  fence_state text;
  fence_until timestamptz;
  is_left boolean := false;
  moved_table text;
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
  select relname into moved_table from pg_class where oid = coalesce(pg_partition_root(tg_relid), tg_relid);
  if tg_op <> 'DELETE' then
    insert into organization_changes (org_id, table_name, key)
    select tg_argv[0]::uuid, moved_table, jsonb_object_agg(k, to_jsonb(new) -> k)
    from unnest(tg_argv[1:]) as k;
  end if;
  if tg_op = 'DELETE' then
    insert into organization_changes (org_id, table_name, key)
    select tg_argv[0]::uuid, moved_table, jsonb_object_agg(k, to_jsonb(old) -> k)
    from unnest(tg_argv[1:]) as k;
  elsif tg_op = 'UPDATE' then
    insert into organization_changes (org_id, table_name, key)
    select tg_argv[0]::uuid, moved_table, o.key
    from (select jsonb_object_agg(k, to_jsonb(old) -> k) as key,
      jsonb_object_agg(k, to_jsonb(new) -> k) as new_key from unnest(tg_argv[1:]) as k) o
    where o.key <> o.new_key;
  end if;
  return null;
end
$$

select bound_first_partition('audit_log', 'month')

select verify_first_partition('audit_log')

select attach_first_partition('audit_log', 'month')

select bound_first_partition('mdm_audit_log', 'month')

select verify_first_partition('mdm_audit_log')

select attach_first_partition('mdm_audit_log', 'month')
