-- Tables can be divided by ids in other columns than id, and the boundary stays where it is far enough ahead, so that a
-- table that was verified is not read again after an interruption (0058_audit_partitions.sql).
drop function bound_first_partition(text, text);
drop function attach_first_partition(text, text);

create or replace function bound_first_partition(name text, width text, key text default 'id') returns void language plpgsql as $$
begin
  if (select relkind from pg_class where oid = to_regclass(quote_ident(name))) = 'p' then
    return;
  end if;
  if exists (select from pg_constraint where conrelid = to_regclass(quote_ident(name)) and conname = name || '_is_first'
    and substring(pg_get_constraintdef(oid) from '[0-9a-f]{8}-[0-9a-f-]{27}')::uuid > lowest_id_at(now() + interval '7 days')) then
    return;
  end if;
  perform set_config('lock_timeout', '1s', true);
  execute format('alter table %I drop constraint if exists %I', name, name || '_is_first');
  execute format('alter table %I add constraint %I check (%I < %L) not valid', name, name || '_is_first', key,
    lowest_id_at((date_trunc(width, (now() + interval '7 days') at time zone 'UTC')
      + ('1 ' || width)::interval) at time zone 'UTC'));
end
$$;

create or replace function attach_first_partition(name text, width text, key text default 'id') returns void language plpgsql as $$
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
    partition by range (%I)', name, first_name, key);
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
$$;

-- For tables that are read in an instant, such as those of a new installation. A job of the service divides larger ones
-- after it has started, so that no start waits for them.
create function divide_small_table(name text, width text, key text default 'id') returns void language plpgsql as $$
begin
  if pg_table_size(to_regclass(quote_ident(name))) > 32 * 1024 * 1024 then
    return;
  end if;
  perform bound_first_partition(name, width, key);
  perform verify_first_partition(name);
  perform attach_first_partition(name, width, key);
end
$$;

-- The oldest usage of a transfer. When it was deleted by retention, the transfer is compared with its parts alone. Null
-- in transfers of an earlier version.
alter table ledger_usage add column first_usage_id uuid;
