-- Portals, in which customers of an organization manage webhook endpoints of their own.
create table portals (
  org_id uuid not null,
  id uuid not null,
  mode text not null,
  name text not null,
  -- What its endpoints can receive. The filter is stored as people wrote it, and as the path that the fan-out evaluates.
  events text[] not null,
  filter jsonb,
  filter_path jsonpath,
  endpoints_max integer not null,
  -- Origins of the pages that may frame the portal.
  allowed_origins text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);

-- The portal of an endpoint; null for endpoints of the organization itself.
alter table webhook_endpoints add column portal_id uuid;

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
    from webhook_endpoints w
    left join portals p on p.org_id = w.org_id and p.id = w.portal_id
    cross join unnest(owner.ids, owner.types, owner.bodies) as e (id, type, body)
    where w.org_id = owner.org_id and w.status <> 'deleted' and w.mode = owner.mode
      and e.type = any (w.events)
      -- What the portal allows counts at the time of the event, not that of a change of the endpoint.
      and (w.portal_id is null or (e.type = any (p.events) and p.mode = w.mode
        and (p.filter_path is null or event_passes(e.body, p.filter_path))))
      and (w.filter_path is null or event_passes(e.body, w.filter_path));
  end loop;
  return null;
end
$$;
