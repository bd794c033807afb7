-- What endpoints have beyond the documented fields. Filters are stored as people wrote them, and as the path that the
-- fan-out evaluates.
alter table webhook_endpoints
  add column filter jsonb,
  add column filter_path jsonpath,
  -- Names and values of headers, sealed together; the names alone can be shown.
  add column sealed_headers text,
  add column header_names text[] not null default '{}',
  add column rate_per_second integer,
  -- Until this time, the rate is used up. Claims move it forward.
  add column paced_until timestamptz,
  -- Signs together with the new secret until the overlap ends.
  add column previous_secret text,
  add column previous_secret_until timestamptz;

-- An event that the filter cannot read, such as one with the character U+0000, does not pass.
create function event_passes(body text, filter jsonpath) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return coalesce(jsonb_path_match(body::jsonb, filter, '{}', true), false);
exception when data_exception then
  return false;
end
$$;

create or replace function queue_webhook_deliveries() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in
    select org_id, mode, array_agg(id) as ids, array_agg(type) as types, array_agg(body) as bodies
    from new_events group by 1, 2
  loop
    insert into webhook_deliveries (org_id, endpoint_id, id, event_id, event_type, due_at, created_at)
    select owner.org_id, w.id, new_time_id(), e.id, e.type, now(), now()
    from webhook_endpoints w cross join unnest(owner.ids, owner.types, owner.bodies) as e (id, type, body)
    where w.org_id = owner.org_id and w.status <> 'deleted' and w.mode = owner.mode
      and e.type = any (w.events)
      and (w.filter_path is null or event_passes(e.body, w.filter_path));
  end loop;
  return null;
end
$$;
